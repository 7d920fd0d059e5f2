import { withoutHtmlComments } from '#lib/html-to-markdown.ts'

/** Markdown syntax and its replacement, in this order. */
const REPLACEMENTS: readonly [RegExp, string][] = [
  // Code fences and thematic breaks.
  [/^ {0,3}(?:`{3,}|~{3,}).*$|^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/gm, ''],
  // Headings, quotes and lists, also nested, with checkboxes.
  [/^\s*(?:(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)+/gm, ''],
  // Links and images; the end of a truncated one may be missing.
  [/!?\[([^[\]]*)\]\([^()\s]*(?:\)|$)/g, '$1'],
  [/(?<!\\)(`+|\*\*|__|~~)(\S(?:.*?\S)?)\1/g, '$2'],
  [/(?<![\\\p{L}\p{N}])([*_])(\S(?:.*?\S)?)\1(?![\p{L}\p{N}])/gu, '$2'],
  [/\\([!-/:-@[-`{-~])/g, '$1'],
  [/\s+/g, ' '],
]

/** The plain text of short Markdown on one line, for previews. */
export const markdownToPlainText = (markdown: string): string =>
  REPLACEMENTS.reduce(
    (text, [mark, left]) => text.replace(mark, left),
    // The end of a truncated comment may be missing.
    withoutHtmlComments(markdown).replace(/<!--.*$/s, ''),
  ).trim()
