import { type RefObject, useLayoutEffect, useState } from 'react'
import { uiMessages } from '../../../messages/app/ui.ts'

/** Of `.tag` and of what is between two of them. */
const PADDING_REM = 0.875
const GAP_REM = 0.25

/** How many tags have room in a width beside the number of the others; the first one is cut if it must be. */
export function countFittingTags(tags: readonly { name: string }[], width: number): number {
  const gap = GAP_REM * getRem()
  let end = -gap
  for (const [at, { name }] of tags.entries()) {
    end += gap + PADDING_REM * getRem() + measureText(name)
    const rest = tags.length - at - 1
    const needed = rest === 0 ? end : end + gap + measureText(uiMessages.more(rest))
    if (needed > width) return Math.max(at, 1)
  }
  return tags.length
}

let rem: number | undefined
/** Asked for once: it takes a layout. */
const getRem = (): number => {
  rem ??= Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return rem
}

let canvas: CanvasRenderingContext2D | null | undefined
const widths = new Map<string, number>()

/** Without the document, which would have to lay out each row twice. */
function measureText(text: string): number {
  const known = widths.get(text)
  if (known !== undefined) return known
  if (canvas === undefined) {
    canvas = document.createElement('canvas').getContext('2d')
    if (canvas)
      canvas.font = `500 ${getRem() * 0.75}px ${getComputedStyle(document.body).fontFamily}`
  }
  const width = Math.ceil(canvas?.measureText(text).width ?? 0)
  widths.set(text, width)
  return width
}

/** The width of the column of tags in a list; undefined without one. */
export function useTagsWidth(
  list: RefObject<HTMLElement | null>,
  columns: readonly string[],
): number | undefined {
  const [width, setWidth] = useState<number>()
  useLayoutEffect(() => {
    const header = columns.includes('tags') && list.current?.querySelector('.cols > .tags')
    if (!header) return setWidth(undefined)
    const observer = new ResizeObserver(() => setWidth(Math.floor(header.clientWidth) || undefined))
    observer.observe(header)
    return () => observer.disconnect()
  }, [list, columns])
  return width
}
