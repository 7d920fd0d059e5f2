/** Cells of several lines, or with a tab or a quote, are in quotes, in which a quote is doubled. */
const CELL = /(?:"((?:[^"]|"")*)"(?=[\t\n]|$)|([^\t\n]*))(\t|\n|$)/g

/**
 * The cells of rows that were copied in a spreadsheet, which puts tabs between them. Of a text without a tab
 * each line is a row, whatever commas it has.
 */
export function parsePastedRows(pasted: string): string[][] {
  const text = pasted.replace(/\r\n?/g, '\n')
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of text.matchAll(CELL)) {
    const isQuoted = quoted !== undefined && /[\t\n"]/.test(quoted)
    rows.at(-1)?.push(isQuoted ? quoted.replaceAll('""', '"') : quoted ? `"${quoted}"` : plain)
    if (end === '\n') rows.push([])
    else if (end === '') break
  }
  return rows.filter((cells) => cells.some((cell) => cell.trim() !== ''))
}
