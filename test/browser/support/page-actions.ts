import type { Locator, Page } from '@playwright/test'
import type { BrowserFixture } from './browser-test.ts'
import { CONDITION_TIMEOUT_MS, expect } from './expect.ts'

/**
 * Opens another screen of the app as its links do, and waits for its heading. Loading the page
 * anew takes several times as long. The path must differ from the present one.
 */
export async function openScreen(page: Page, address: string): Promise<void> {
  await page.evaluate((address) => {
    for (const heading of document.querySelectorAll('h1')) heading.dataset.left = ''
    history.pushState(null, '', address)
  }, address)
  await page.locator('h1:not([data-left])').first().waitFor()
}

/** What a browser says about requests that its network or a test has cut off. */
export const CONNECTION_ERRORS = /ERR_(CONNECTION|FAILED|INCOMPLETE|EMPTY|INTERNET)|net::/

/**
 * Opens the list of the project and waits for a task; leaving the page with unsent writes is
 * confirmed automatically.
 */
export async function openList(
  { as, team, allow }: BrowserFixture,
  taskTitle: string,
): Promise<Page> {
  allow(CONNECTION_ERRORS)
  const page = await as('member')
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText(taskTitle, { exact: true }).waitFor()
  // The last code that the list shows by itself: a network that is cut before would break that part.
  await page.getByRole('button', { name: 'Saved views' }).waitFor()
  return page
}

/**
 * Opens My work, and waits for the last code that it shows by itself: a network that is cut before would
 * keep that out. The conditions are those that it has anyway; their chips are of that code.
 */
export async function openWholeMyWork(page: Page, workspace: string): Promise<void> {
  await page.goto(`/w/${workspace}/my?f=assignee:me+status:open`)
  await page.getByRole('button', { name: 'Clear filter' }).waitFor()
}

/** Presses keys one after the other. */
export async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/**
 * Presses the keys of a sequence such as `g i`. They are sent together: each has to follow the one
 * before within a second, however busy the machine is.
 */
export async function pressSequence(page: Page, keys: string): Promise<void> {
  await Promise.all([...keys].map((key) => page.keyboard.press(key)))
}

/**
 * Types as soon as a field has the focus. A key or click opens it, and what is typed before it is
 * there would be taken for shortcuts of the page.
 */
export async function typeInFocusedField(page: Page, text: string): Promise<void> {
  await page.locator('input:focus, textarea:focus, [contenteditable]:focus').waitFor()
  await page.keyboard.type(text)
}

const FOCUS =
  'input:focus, textarea:focus, [contenteditable]:focus, [data-overlay]:focus, [data-overlay] :focus'

/**
 * Waits until keys belong to the page: a picker that closes has the focus for a moment, and what is
 * pressed then belongs to it.
 */
export const waitForPageFocus = (page: Page): Promise<void> =>
  expect(page.locator(FOCUS)).toHaveCount(0)

/** Keeps the toast with the latest Undo, which ends after eight seconds, under the pointer. */
export const holdUndo = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^Undo/ }).last().hover()

/**
 * Undoes the latest change by its key, which works also when its toast has ended. What the change has
 * done must be seen before; a deletion that waits for the end of its toast must be held.
 */
export async function pressUndo(page: Page): Promise<void> {
  await waitForPageFocus(page)
  await page.keyboard.press('ControlOrMeta+z')
}

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

/** Leaves a secret that was just copied. Until the browser has copied it, leaving asks first. */
export async function closeCopiedSecret(within: Page | Locator): Promise<void> {
  await expect(within.getByText('You have not copied it yet.')).toBeHidden()
  await within.getByRole('button', { name: 'Done' }).click()
}
