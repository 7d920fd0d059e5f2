import type { Page } from '@playwright/test'

/** The sides that a target needs where a finger touches it, and where it is drawn. */
const SIZES = { touched: 44, drawn: 24 }

/**
 * Lists the controls of a phone's page that a finger misses: those that have no square of 44 px which only
 * they answer to, and those that are drawn smaller than 24 px. Links within a text are as high as its lines.
 */
export const findSmallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(async ({ touched, drawn }) => {
    const STEP = 2
    const CONTROLS =
      'a[href], button, input, select, textarea, summary, [role=button], [role=option], ' +
      '[role^=menuitem], [role=checkbox], [role=switch], [role=tab], [role=radio]'
    const dialogs = [...document.querySelectorAll('dialog[open], [role=dialog], .app > .panel')]
    const within = dialogs.at(-1) ?? document
    const found: string[] = []
    for (const control of within.querySelectorAll<HTMLElement>(CONTROLS)) {
      if (isHidden(control) || isInText(control)) continue
      control.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
      const { width, height } = drawnBox(control)
      const isDrawn = Math.min(width, height) >= drawn - 0.5
      if (isDrawn && isSquareAround(control)) continue
      // A bar over what is read goes some frames after that has been scrolled.
      for (let frame = 0; frame < 60 && !isMiddleHit(control); frame += 1)
        await new Promise(requestAnimationFrame)
      const side = largestSquare(control)
      if (isDrawn && side >= touched - STEP) continue
      const name = control.getAttribute('aria-label') ?? control.textContent ?? ''
      const { tagName, className } = control
      found.push(
        `${tagName.toLowerCase()}.${String(className).replaceAll(' ', '.')} “${name.slice(0, 40)}”: ` +
          `touched ${side}, drawn ${Math.round(width)} × ${Math.round(height)}`,
      )
    }
    return [...new Set(found)]

    function isHidden(control: HTMLElement): boolean {
      const { width, height } = control.getBoundingClientRect()
      return (
        (width <= 1 && height <= 1) ||
        !control.checkVisibility({ opacityProperty: true, visibilityProperty: true }) ||
        control.closest('.sr, .skip, [inert]') !== null ||
        control.matches(':disabled')
      )
    }

    /** A link between words, whose height is that of the line (WCAG 2.5.8, "inline"). */
    function isInText(control: HTMLElement): boolean {
      const parent = control.parentElement
      if (!parent || getComputedStyle(control).display !== 'inline') return false
      return [...parent.childNodes].some(
        ({ nodeType, nodeValue }) => nodeType === Node.TEXT_NODE && /\p{L}/u.test(nodeValue ?? ''),
      )
    }

    /** What is pressed for a control: its label, too. */
    function labelOf(control: HTMLElement): HTMLElement | null {
      return control instanceof HTMLInputElement ? (control.labels?.[0] ?? null) : null
    }

    function drawnBox(control: HTMLElement): DOMRect {
      const [own, label] = [control, labelOf(control)].map((one) => one?.getBoundingClientRect())
      if (!own) throw new Error('A control has no box')
      return label && label.width * label.height > own.width * own.height ? label : own
    }

    function isHit(control: HTMLElement, x: number, y: number): boolean {
      const hit = document.elementFromPoint(x, y)
      return hit !== null && (control.contains(hit) || labelOf(control)?.contains(hit) === true)
    }

    function isMiddleHit(control: HTMLElement): boolean {
      const { left, top, width, height } = drawnBox(control)
      return isHit(control, left + width / 2, top + height / 2)
    }

    /** Whether the square around its middle is enough, which is quick to say. */
    function isSquareAround(control: HTMLElement): boolean {
      const { left, top, width, height } = drawnBox(control)
      const reach = [-1, -0.5, 0, 0.5, 1].map((part) => (part * (touched - STEP)) / 2)
      const [x, y] = [left + width / 2, top + height / 2]
      return reach.every((dx) => reach.every((dy) => isHit(control, x + dx, y + dy)))
    }

    /** The side of the largest square in which every point leads to the control. */
    function largestSquare(control: HTMLElement): number {
      const { left, top, width, height } = drawnBox(control)
      const [reachX, reachY] = [width, height].map((size) => Math.max(0, 2 * touched - size))
      const columns = Math.ceil((Math.min(width, 200) + (reachX ?? 0)) / STEP)
      const rows = Math.ceil((Math.min(height, 200) + (reachY ?? 0)) / STEP)
      let best = 0
      let above: number[] = []
      for (let row = 0; row <= rows; row += 1) {
        const sides: number[] = []
        for (let column = 0; column <= columns; column += 1) {
          const x = left - (reachX ?? 0) / 2 + column * STEP
          const y = top - (reachY ?? 0) / 2 + row * STEP
          const neighbours = [above[column], above[column - 1], sides[column - 1]]
          const side = isHit(control, x, y) ? 1 + Math.min(...neighbours.map((one) => one ?? 0)) : 0
          sides.push(side)
          best = Math.max(best, side)
        }
        above = sides
      }
      return best * STEP
    }
  }, SIZES)
