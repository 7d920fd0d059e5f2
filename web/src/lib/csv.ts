/**
 * Rows as a CSV file that spreadsheets read as UTF-8. A cell that one would take for a formula is a text:
 * an apostrophe stands before it, which an import takes away again.
 */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  `\ufeff${rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')}`

const cellOf = (text: string): string => {
  const plain = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Gives the person a CSV file of that name. */
export function saveCsv(name: string, rows: readonly (readonly string[])[]): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([csvOf(rows)], { type: 'text/csv' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
