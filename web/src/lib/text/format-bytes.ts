import { viewer } from '../locale/viewer.ts'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** "412 byte", "6.2 kB", "100 MB": in units of 1,024, with one decimal below ten. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  const amount = bytes / 1024 ** power
  const { locale } = viewer.get()
  const unit = UNITS[power] ?? 'byte'
  const maximumFractionDigits = power > 0 && amount < 10 ? 1 : 0
  return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits }).format(
    amount,
  )
}
