// 轨迹查看页的用语。

import type { viewer as words } from "../en/viewer";

export const viewer: Record<keyof typeof words, string> = {
  "view.title": "屏幕",
  "view.beside": "并排",
  "view.slider": "滑块对比",
  "view.difference": "差异",
  "view.slider.label": "操作前后的屏幕，上下叠放",
  "view.difference.label": "操作前后屏幕的差异，黑色表示相同",
  "view.slider.share": "显示多少操作后的屏幕",
  "view.same": "操作没有改变屏幕。",
  "zoom.in": "放大",
  "zoom.out": "缩小",
  "zoom.whole": "完整图片",
  "zoom.full": "全屏",
  "play.start": "播放",
  "play.pause": "暂停",
  "play.time": "时间",
  "play.at": "{time}，第 {step}/{count} 步",
  "play.idle": "空闲 {seconds} 秒",
  "play.speed": "速度",
  "inspect.title": "元素",
  "inspect.search": "搜索：{count} 个中的 {shown} 个",
  "inspect.nodes": "屏幕上的元素",
  "inspect.attributes": "属性",
  "place.picture": "屏幕：点击或拖动来设置位置，方向键每次移动一个像素",
  "place.at": "像素 {x}，{y}。方向键移动，按住 Shift 每次十个像素。",
  "place.none": "这个操作没有位置。",
  "place.snap": "取元素的中心",
};
