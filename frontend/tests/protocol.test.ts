import { describe, expect, test } from "vitest";

import { readCodec, decodeFrame, decodeMessage, freshKey } from "../src/record/protocol";

function frameBytes(kind: number, payload: readonly number[]): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(22 + payload.length));
  view.setUint32(0, 4_000_000_001, true);
  view.setUint32(4, 17, true);
  view.setUint8(8, kind);
  view.setUint16(10, 1080, true);
  view.setUint16(12, 2400, true);
  view.setFloat64(14, 1234.5, true);
  new Uint8Array(view.buffer).set(payload, 22);
  return view.buffer;
}

describe("a frame", () => {
  test("is read as it was written", () => {
    const frame = decodeFrame(frameBytes(1, [255, 216, 255]));
    expect(frame).toMatchObject({ id: 4_000_000_001, actsDone: 17, kind: "jpeg", alone: true, width: 1080, height: 2400, timeMs: 1234.5 });
    expect([...(frame?.payload ?? [])]).toEqual([255, 216, 255]);
  });

  test.each([
    [2, "png", true],
    [3, "h264", true],
    [4, "h264", false],
  ] as const)("of kind %d is %s", (kind, name, alone) => {
    expect(decodeFrame(frameBytes(kind, [1]))).toMatchObject({ kind: name, alone });
  });

  test("of an unknown kind, without a picture or cut off is none", () => {
    expect(decodeFrame(frameBytes(9, [1]))).toBeNull();
    expect(decodeFrame(frameBytes(1, []))).toBeNull();
    expect(decodeFrame(new ArrayBuffer(5))).toBeNull();
  });
});

test("the codec of a video is that of its sequence parameters", () => {
  expect(readCodec(new Uint8Array([0, 0, 0, 1, 0x67, 0x42, 0xc0, 0x29, 0x8c]))).toBe("avc1.42c029");
  expect(readCodec(new Uint8Array([0, 0, 1, 0x09, 0x10, 0, 0, 1, 0x67, 0x64, 0x00, 0x1f, 1]))).toBe("avc1.64001f");
  expect(readCodec(new Uint8Array([0, 0, 0, 1, 0x65, 1, 2, 3, 4, 5]))).toBeNull();
});

test("what is no message of the server's is none", () => {
  expect(decodeMessage('{"t": "done", "key": "a"}')).toEqual({ t: "done", key: "a" });
  for (const text of ["", "null", "[]", "{", '{"t": 3}', '{"t": "nonsense"}', '"state"']) expect(decodeMessage(text)).toBeNull();
});

test("no two keys are the same", () => {
  expect(new Set(Array.from({ length: 1000 }, freshKey)).size).toBe(1000);
});
