import { formatNumber } from '../../messages/plural.ts'

/** The tasks behind a chart point: one task, or those completed on a range of days. */
export type DrillDownTarget = { short_id: string } | { after: string; before: string }

/** A point of a chart that the arrow keys stop at. */
export interface ChartPoint {
  /** From 0 at the start to 1 at the end. */
  x: number
  /** The value of a point that is drawn, on the scale. */
  y?: number
  description: string
  drillDown?: DrillDownTarget
}

/** A line, or the area between two lines, from left to right, on the scale of the chart. */
export interface ChartShape {
  className: string
  points: readonly (readonly [x: number, y: number])[]
  /** The lower edge of an area. */
  baseline?: readonly (readonly [x: number, y: number])[]
}

export interface ChartData {
  /** The highest value. The scale ends at the next round number. */
  max: number
  formatTick: (value: number) => string
  /** Labels of the x-axis, at equal distances. */
  xLabels: readonly string[]
  points: readonly ChartPoint[]
  shapes: readonly ChartShape[]
  /** Labels at the right edge, each at the height of a value. */
  endLabels: readonly { at: number; text: string; more?: string }[]
}

type ReportCells = readonly (string | number)[]

/** The presentation of a report. The chart, the table and the CSV file show the same rows. */
export interface ReportView {
  name: string
  unit: string
  finding: string
  say: string
  /** Remarks on what is derived, assumed or left out. */
  notes: readonly string[]
  columns: readonly string[]
  rows: readonly ReportCells[]
  /** Missing if there is too little data to draw. The finding then says so. */
  chart?: ChartData
  /** The figures of the report that are shown above all reports. */
  figures?: readonly KeyFigure[]
  /** Only of a report that is a list of bars. */
  bars?: readonly ReportBar[]
}

/** A number shown above the reports, with a note beside it. */
export interface KeyFigure {
  name: string
  value: string
  note?: string
}

export interface ReportBar {
  key: string
  label: string
  /** The task to which the label links. */
  short_id?: string
  description: string
  value: number
  billableShare: number
}

/** Formats a number with one decimal in the user's locale. */
export const formatTenth = (n: number): string => formatNumber(Math.round(n * 10) / 10)

/** Shown in place of a figure without data. */
export const NO_VALUE = '–'

/** The number of points below which no chart is drawn. */
export const MIN_CHART_POINTS = 5

/** Picks at most `max` labels at equal distances, including the first and the last. */
export function sampleEvenly<T>(all: readonly T[], max: number): T[] {
  if (all.length <= max) return [...all]
  return Array.from({ length: max }, (_, n) => {
    return all[Math.round((n * (all.length - 1)) / (max - 1))] as T
  })
}

/**
 * The end of a scale with four steps: the smallest one at or above `max` whose steps are 1, 2, 2.5
 * or 5 times a power of ten.
 */
export function getScaleMax(max: number): number {
  const step = Math.max(max, 1) / 4
  const power = 10 ** Math.floor(Math.log10(step))
  const factor = [1, 2, 2.5, 5, 10].find((by) => by * power >= step) ?? 10
  return factor * power * 4
}

/** Hours and minutes of a table, which spreadsheets can add up: "5:10", "445:10". */
export function formatHours(seconds: number): string {
  const minutes = Math.round(Math.max(0, seconds) / 60)
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}
