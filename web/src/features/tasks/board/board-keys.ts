import { m } from '../../../messages/tasks.ts'
import { announce } from '../../../ui/announce.ts'
import { useKeys } from '../../../ui/keys.ts'
import type { Layout, Section } from '../layout.ts'
import { put, spotOf } from '../reorder.ts'
import type { Screen } from '../screen.ts'
import type { View } from '../view.ts'
import { beside } from './lanes.ts'

/** The keys of a board beside those of the list: from column to column, with or without the card. */
export function useBoardKeys(screen: Screen, view: View, layout: Layout): void {
  const { marks, project } = screen
  const on = () => marks.cursor !== undefined
  const here = () => layout.sections.findIndex((section) => placeOf(section, marks.cursor) >= 0)
  const go = (by: -1 | 1) => {
    const at = here()
    const section = layout.sections[at]
    const other = nextFilled(layout, at, by)
    const place = section ? placeOf(section, marks.cursor) : 0
    const line = other && (other.lines[place] ?? other.lines.at(-1))
    if (line) marks.moveTo(line.number)
  }
  const carry = (by: -1 | 1) => {
    const at = here()
    const [section, other] = [layout.sections[at], beside(layout, at, by)]
    const number = marks.cursor
    if (!section || !other || number === undefined) return
    const same = other.lines[placeOf(section, number)]
    const edge = same ?? other.lines.at(-1)
    put(screen, view, number, spotOf(section, number), {
      key: other.key,
      beside: edge && { number: edge.number, after: !same },
    })
    announce(m.moved(`${project.prefix}-${number}`, other.label))
  }
  useKeys(m.keysBoard, [
    { keys: 'arrowright', label: m.nextColumn, repeats: true, run: () => go(1) },
    { keys: 'arrowleft', label: m.previousColumn, repeats: true, run: () => go(-1) },
    { keys: 'alt+arrowright', label: m.moveRight, when: on, run: () => carry(1) },
    { keys: 'alt+arrowleft', label: m.moveLeft, when: on, run: () => carry(-1) },
  ])
}

const placeOf = ({ lines, folded }: Section, number: number | undefined): number =>
  folded ? -1 : lines.findIndex((line) => line.number === number)

function nextFilled(layout: Layout, at: number, by: -1 | 1): Section | undefined {
  // Without a cursor one begins at either end.
  const from = at < 0 && by < 0 ? layout.sections.length : at
  for (let step: number = by; ; step += by) {
    const section = at < 0 ? layout.sections[from + step] : beside(layout, from, step)
    if (!section || (!section.folded && section.lines.length > 0)) return section
  }
}
