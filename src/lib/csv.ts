/** The cells of a row. */
export type CsvRow = readonly (string | number)[]

/**
 * Where a spreadsheet may see the start of a formula: at the start of the cell, and after a line
 * break, a semicolon or a tab, because in some countries and settings these separate cells, and
 * then the quotation marks around the whole cell do not count. Spaces and invisible characters may
 * come before it: some spreadsheets drop them.
 */
const FORMULA_START =
  /(^|[;\t\r\n])(?=["'\p{Zs}\p{Cf}\p{DI}]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/gu

/**
 * Formats rows as CSV (RFC 4180) with a byte order mark, so that spreadsheets read it as UTF-8.
 * Text that a spreadsheet would run as a formula gets an apostrophe in front; imports remove it
 * again (src/importers/formats/csv-table.ts).
 */
export const toCsv = (rows: readonly CsvRow[]): string =>
  `\ufeff${rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('')}`

const formatCell = (cell: string | number): string => {
  if (typeof cell === 'number') return String(cell)
  const safe = cell.replace(FORMULA_START, "$1'")
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
