type Row = readonly (string | number)[]

/**
 * Rows as a CSV file that spreadsheets read as UTF-8 (RFC 4180, with a mark before it). A text that one would take
 * for a formula has an apostrophe before it, which an import takes away again (src/importing/table.ts).
 */
export const csvOf = (rows: readonly Row[]): string =>
  `\ufeff${rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')}`

const cellOf = (cell: string | number): string => {
  if (typeof cell === 'number') return String(cell)
  const plain = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Gives the person a CSV file of that name. */
export function saveCsv(name: string, rows: readonly Row[]): void {
  const url = URL.createObjectURL(new Blob([csvOf(rows)], { type: 'text/csv' }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  // The download has begun by the next turn; the text would stay in memory until the page goes.
  setTimeout(() => URL.revokeObjectURL(url))
}
