/**
 * Rows as a CSV file. A cell that a spreadsheet would take for a formula is a text: an apostrophe
 * stands before it.
 */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

const cellOf = (text: string): string => {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
