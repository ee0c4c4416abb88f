// 每个页面外框的文字。

import type { common as words } from "../en/common";

export const common: Record<keyof typeof words, string> = {
  "app.name": "tapwright",
  "nav.label": "主导航",
  "nav.skip": "跳到内容",
  "nav.record": "录制",
  "nav.episodes": "轨迹",
  "nav.review": "审核",
  "nav.runs": "评测",
  "nav.team": "团队",
  "language.label": "语言",
  "language.en": "English",
  "language.zh": "中文",
  "loading": "加载中…",
  "retry": "重试",
  "cancel": "取消",
  "close": "关闭",
  "save": "保存",
  "notice.label": "消息",
  "notice.dismiss": "关闭消息",
  "error.title": "出错了",
  "error.offline": "服务器没有响应。",
  "error.offline.hint": "请确认 tapwright 仍在运行，然后重试。",
  "error.page": "页面停止工作：{message}",
  "missing.title": "没有这个页面",
  "missing.home": "回到首页",
  "pending.title": "此版本不含这个页面",
};
