import { type CsvRow, toCsv } from '#lib/csv.ts'

/** Downloads rows as a CSV file. */
export function downloadCsv(name: string, rows: readonly CsvRow[]): void {
  const url = URL.createObjectURL(new Blob([toCsv(rows)], { type: 'text/csv' }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  // The download has started by the next task. Without this the text stays in memory.
  setTimeout(() => URL.revokeObjectURL(url))
}
