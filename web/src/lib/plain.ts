/** Marks of Markdown, and what is left of them; in this order. */
const MARKS: readonly [RegExp, string][] = [
  // Fences of code, and lines between.
  [/^ {0,3}(?:`{3,}|~{3,}).*$|^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/gm, ''],
  // Headings, quotes and lists, also within each other, with boxes to tick.
  [/^\s*(?:(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)+/gm, ''],
  // Links and pictures; the end of one may be cut off.
  [/!?\[([^[\]]*)\]\([^()\s]*(?:\)|$)/g, '$1'],
  [/(?<!\\)(`+|\*\*|__|~~)(\S(?:.*?\S)?)\1/g, '$2'],
  [/(?<![\\\p{L}\p{N}])([*_])(\S(?:.*?\S)?)\1(?![\p{L}\p{N}])/gu, '$2'],
  [/\\([!-/:-@[-`{-~])/g, '$1'],
  [/\s+/g, ' '],
]

/** The words of a short text in Markdown, on one line: for where only a glance at it is wanted. */
export const plainOf = (markdown: string): string =>
  MARKS.reduce((text, [mark, left]) => text.replace(mark, left), markdown).trim()
