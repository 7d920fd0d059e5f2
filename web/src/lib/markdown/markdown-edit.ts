/** An edit of a text, and the selection after it. */
export interface MarkdownEdit {
  from: number
  to: number
  insert: string
  select: [number, number]
}

/** Puts a mark (`**`, `_`, `` ` ``) around the selection, or removes it. */
export function toggleMark(text: string, start: number, end: number, mark: string): MarkdownEdit {
  const inner = text.slice(start, end)
  const before = text.slice(start - mark.length, start)
  if (before === mark && text.slice(end, end + mark.length) === mark) {
    const from = start - mark.length
    return { from, to: end + mark.length, insert: inner, select: [from, from + inner.length] }
  }
  const at = start + mark.length
  return { from: start, to: end, insert: `${mark}${inner}${mark}`, select: [at, at + inner.length] }
}

/** Turns the selection into a link; a selected URL becomes its target. */
export function insertLink(text: string, start: number, end: number): MarkdownEdit {
  const inner = text.slice(start, end)
  const address = /^(https?:\/\/|mailto:)\S+$/.test(inner)
  const insert = address ? `[](${inner})` : `[${inner}](https://)`
  const at = address ? start + 1 : start + inner.length + 3
  return { from: start, to: end, insert, select: [at, address ? at : at + 8] }
}

/** Adds a prefix (`- `, `- [ ] `, `> `, `## `) to each selected line, or removes it from all. */
export function toggleLinePrefix(
  text: string,
  start: number,
  end: number,
  prefix: string,
): MarkdownEdit {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const stop = text.indexOf('\n', end)
  const to = stop < 0 ? text.length : stop
  const lines = text.slice(from, to).split('\n')
  const has = lines.every((line) => line.startsWith(prefix))
  const insert = lines
    .map((line) => (has ? line.slice(prefix.length) : `${prefix}${line}`))
    .join('\n')
  return { from, to, insert, select: [from + insert.length, from + insert.length] }
}

/** Enter at the end of a list item: adds the next item, or ends the list after an empty one. */
export function continueList(text: string, caret: number): MarkdownEdit | undefined {
  const from = text.lastIndexOf('\n', caret - 1) + 1
  const line = text.slice(from, caret)
  const [whole, indent = '', bullet = '', number, box = ''] =
    /^(\s*)(?:([-*+])|(\d{1,9})[.)]) (\[[ xX]\] )?/.exec(line) ?? []
  if (whole === undefined) return undefined
  if (whole === line) return { from, to: caret, insert: '', select: [from, from] }
  const next = number === undefined ? bullet : `${Number(number) + 1}.`
  const insert = `\n${indent}${next} ${box && '[ ] '}`
  return { from: caret, to: caret, insert, select: [caret + insert.length, caret + insert.length] }
}

/**
 * Inserts a block after the line of the caret, or in its place if that is empty. Blank lines keep it
 * apart: a rule under a text would make a heading of that.
 */
export function insertBlock(
  text: string,
  caret: number,
  before: string,
  after: string,
): MarkdownEdit {
  const start = text.lastIndexOf('\n', caret - 1) + 1
  const stop = text.indexOf('\n', caret)
  const to = stop < 0 ? text.length : stop
  const isEmpty = text.slice(start, to).trim() === ''
  const from = isEmpty ? start : to
  const isFirst = text.slice(0, from).trim() === ''
  const lead = isFirst ? '' : isEmpty ? (text.slice(0, from).endsWith('\n\n') ? '' : '\n') : '\n\n'
  const trail = stop < 0 || text.startsWith('\n\n', to) ? '' : '\n'
  const select = from + lead.length + before.length
  return { from, to, insert: `${lead}${before}${after}${trail}`, select: [select, select] }
}
