import type { Locator } from '@playwright/test'
import { CONDITION_TIMEOUT_MS, expect } from './expect.ts'

/** The parts of CodeMirror's view that tests read, which it keeps at the element that is edited. */
interface EditedElement extends Element {
  cmTile?: { view?: { state: { sliceDoc: () => string } } }
  value?: string
}

/** The Markdown in the field of an editor: what is shown leaves marks out. */
const readWritten = (field: Locator): Promise<string | undefined> =>
  field.evaluate((element: EditedElement) =>
    element.cmTile ? element.cmTile.view?.state.sliceDoc() : element.value,
  )

/** Waits until the field of an editor has this Markdown. */
export async function expectWritten(field: Locator, text: string | RegExp): Promise<void> {
  const expected = expect.poll(() => readWritten(field), { timeout: CONDITION_TIMEOUT_MS })
  await (typeof text === 'string' ? expected.toBe(text) : expected.toMatch(text))
}
