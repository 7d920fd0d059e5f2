/** A change of a text and what is selected after it. */
export interface Edit {
  from: number
  to: number
  insert: string
  select: [number, number]
}

/** Puts a mark around what is selected, or takes it off: `**`, `_`, `` ` ``. */
export function wrapped(text: string, start: number, end: number, mark: string): Edit {
  const inner = text.slice(start, end)
  const before = text.slice(start - mark.length, start)
  if (before === mark && text.slice(end, end + mark.length) === mark) {
    const from = start - mark.length
    return { from, to: end + mark.length, insert: inner, select: [from, from + inner.length] }
  }
  const at = start + mark.length
  return { from: start, to: end, insert: `${mark}${inner}${mark}`, select: [at, at + inner.length] }
}

/** Makes a link of what is selected; an address becomes the target, else the target is to be typed. */
export function linked(text: string, start: number, end: number): Edit {
  const inner = text.slice(start, end)
  const address = /^(https?:\/\/|mailto:)\S+$/.test(inner)
  const insert = address ? `[](${inner})` : `[${inner}](https://)`
  const at = address ? start + 1 : start + inner.length + 3
  return { from: start, to: end, insert, select: [at, address ? at : at + 8] }
}

/** Begins every selected line with a prefix (`- `, `- [ ] `, `> `, `## `), or takes it off if all have it. */
export function prefixed(text: string, start: number, end: number, prefix: string): Edit {
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

/** What Enter does at the end of an item of a list: another item, or the end of the list after an empty one. */
export function continued(text: string, caret: number): Edit | undefined {
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
