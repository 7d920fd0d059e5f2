type CsvRow = readonly (string | number)[]

/**
 * Formats rows as CSV (RFC 4180) with a byte order mark, so that spreadsheets read it as UTF-8.
 * Text that a spreadsheet would run as a formula gets a leading apostrophe; imports remove it
 * again (src/importers/formats/csv-table.ts).
 */
export const toCsv = (rows: readonly CsvRow[]): string =>
  `\ufeff${rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('')}`

const formatCell = (cell: string | number): string => {
  if (typeof cell === 'number') return String(cell)
  const safe = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Downloads rows as a CSV file. */
export function downloadCsv(name: string, rows: readonly CsvRow[]): void {
  const url = URL.createObjectURL(new Blob([toCsv(rows)], { type: 'text/csv' }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  // The download has started by the next task. Without this the text stays in memory.
  setTimeout(() => URL.revokeObjectURL(url))
}
