import { number } from '../../messages/plural.ts'

/** What a mark stands for: a task of its own, or those completed on its days. */
export type Behind = { short_id: string } | { after: string; before: string }

/** A place in a chart at which the keys stop. */
export interface Mark {
  /** From 0 at the start to 1 at the end. */
  x: number
  /** Of a point: how high it stands, on the scale. */
  y?: number
  told: string
  behind?: Behind
}

/** A line, or what is between two: corners from the start on, on the scale of the chart. */
export interface Shape {
  look: string
  line: readonly (readonly [x: number, y: number])[]
  /** The lower edge, where it is an area. */
  down?: readonly (readonly [x: number, y: number])[]
}

export interface Plotted {
  /** The highest value; the scale goes to a round number from there. */
  most: number
  tick: (value: number) => string
  /** Along the bottom, evenly. */
  along: readonly string[]
  marks: readonly Mark[]
  shapes: readonly Shape[]
  /** Direct labels at the end: each at the height of a value. */
  ends: readonly { at: number; text: string; more?: string }[]
}

export type Cells = readonly (string | number)[]

/** A report as it is shown: the chart, the table and the file are all of these rows. */
export interface Shown {
  name: string
  unit: string
  finding: string
  say: string
  /** What is derived, assumed or left out. */
  notes: readonly string[]
  columns: readonly string[]
  rows: readonly Cells[]
  /** Missing where there is too little to draw; the finding then says what is missing. */
  plot?: Plotted
  /** What of it is in the band over all reports. */
  figures?: readonly Figure[]
  /** Of a report that is a list of bars. */
  bars?: readonly Bar[]
}

/** A number in the band over the reports, and what is said beside it. */
export interface Figure {
  name: string
  value: string
  beside?: string
}

export interface Bar {
  key: string
  label: string
  told: string
  value: number
  part: number
}

/** A number with one decimal, in the viewer's way. */
export const tenth = (n: number): string => number(Math.round(n * 10) / 10)

/** In place of a figure that nothing tells. */
export const NONE = '–'

/** Fewer points make no picture. */
export const LEAST = 5

/** Some of many labels: at most so many, evenly, with the first and the last. */
export function someOf<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all]
  return Array.from({ length: most }, (_, n) => {
    return all[Math.round((n * (all.length - 1)) / (most - 1))] as T
  })
}

/** The round number from which a scale of four steps goes down: 1, 2, 2.5 or 5 times a power of ten each. */
export function scaleTo(most: number): number {
  const step = Math.max(most, 1) / 4
  const power = 10 ** Math.floor(Math.log10(step))
  const round = [1, 2, 2.5, 5, 10].find((by) => by * power >= step) ?? 10
  return round * power * 4
}
