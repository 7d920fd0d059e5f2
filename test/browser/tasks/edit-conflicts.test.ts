import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { pressUndo } from '../support/keyboard/press-undo.ts'
import { seedTasks } from '../support/seed.ts'

const BASE = 'First\nSecond\nThird\n\nFourth'

/** Blocks live updates, so that the page does not hear of the changes of others. */
const blockLiveUpdates = (page: Page) =>
  page.route(/\/internal\/live|\/api\/v1\/changes/, (route) => route.abort())

async function seedTask({ ask, team }: BrowserFixture) {
  const [made] = await seedTasks({ ask, team }, 1, () => ({
    ...{ title: 'One', priority: 'low', description: BASE },
    ...{ estimate_seconds: 3_600, custom_fields: { cost: 1 } },
  }))
  assert.ok(made)
  return made
}

browserTest(
  'an edit conflict shows both values at the field, and one can be chosen',
  async (fixture) => {
    const { as, ask, team, allow } = fixture
    allow(412, /ERR_FAILED/)
    const { id, short_id } = await seedTask(fixture)
    const page = await as('member')
    await blockLiveUpdates(page)
    await page.goto(`/w/${team.workspace}/t/${short_id}`)
    const title = (name: string) => page.getByRole('heading', { level: 1, name })
    const rename = async (to: string) => {
      await title('').waitFor()
      await page.keyboard.press('e')
      await page.getByLabel('Title').fill(to)
      await page.keyboard.press('Enter')
    }
    await title('One').waitFor()

    // Changes of different fields are both kept without a question.
    await ask('owner', `PATCH /api/v1/tasks/${id}`, { priority: 'high' })
    await rename('Two')
    await expect(page.getByRole('button', { name: 'Priority: High. Change' })).toBeVisible()
    await expect(title('Two')).toBeVisible()

    // With the same field, my own value stays on the screen until one is chosen.
    await ask('owner', `PATCH /api/v1/tasks/${id}`, { title: 'Theirs' })
    await rename('Mine')
    const conflict = page.getByRole('alert').filter({ hasText: 'The owner changed it to Theirs' })
    await expect(conflict).toContainText('You changed it to Mine')
    await expect(title('Mine')).toBeVisible()
    await assertAccessible(page)
    await conflict.getByRole('button', { name: 'Keep mine' }).click()
    await expect(conflict).toBeHidden()
    await expect.poll(() => titleOf(ask, id)).toBe('Mine')

    await ask('owner', `PATCH /api/v1/tasks/${id}`, { title: 'Theirs again' })
    await rename('Mine again')
    await page.getByRole('button', { name: 'Use theirs' }).click()
    await expect(title('Theirs again')).toBeVisible()
    assert.equal(await titleOf(ask, id), 'Theirs again')

    // A property that I have cleared has no row any more, and still shows the conflict.
    await ask('owner', `PATCH /api/v1/tasks/${id}`, { custom_fields: { cost: 2 } })
    await page.getByRole('button', { name: 'Remove cost' }).click()
    const ofCost = page.getByRole('alert').filter({ hasText: 'The owner changed it to cost 2' })
    await expect(ofCost).toContainText('You changed it to none')
    await ofCost.getByRole('button', { name: 'Use theirs' }).click()
    await expect(page.getByRole('button', { name: 'cost: 2. Change' })).toBeVisible()
    await ask('owner', `PATCH /api/v1/tasks/${id}`, { estimate_seconds: 7_200 })
    await page.getByRole('button', { name: 'Estimate: 1h. Change' }).click()
    await page.keyboard.press('Delete')
    await page.keyboard.press('Enter')
    const ofEstimate = page.getByRole('alert').filter({ hasText: 'The owner changed it to 2h' })
    await expect(ofEstimate).toContainText('You changed it to none')
    await assertAccessible(page)
    await ofEstimate.getByRole('button', { name: 'Keep mine' }).click()
    await expect(page.getByRole('button', { name: 'Estimate: None. Change' })).toBeVisible()
  },
)

browserTest('merges two edits of a description by line and loses neither', async (fixture) => {
  const { as, ask, team, allow } = fixture
  allow(412, /ERR_FAILED/)
  const { id, short_id } = await seedTask(fixture)
  const page = await as('member')
  await blockLiveUpdates(page)
  await page.goto(`/w/${team.workspace}/t/${short_id}`)
  await page.getByText('Second').waitFor()
  await page.keyboard.press('Shift+E')
  const editor = page.getByLabel('Description', { exact: true })
  await editor.fill(BASE.replace('First', 'First of mine').replace('Third', 'Third of mine'))
  const theirs = BASE.replace('Fourth', 'Fourth of theirs').replace('Third', 'Third of theirs')
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { description: theirs })
  await page.keyboard.press('ControlOrMeta+Enter')
  const conflict = page
    .getByRole('alert')
    .filter({ hasText: 'The owner also changed “Description”' })
  await expect(conflict).toContainText('You both edited the same place')
  const merged = conflict.getByRole('textbox')
  await expect(merged).toHaveValue(
    'First of mine\nSecond\nThird of mine\nThird of theirs\n\nFourth of theirs',
  )
  await assertAccessible(page)
  await merged.fill('First of mine\nSecond\nThird of both\nFourth of theirs')
  // Looking at another screen loses nothing of it.
  await page.getByRole('link', { name: 'My work', exact: true }).click()
  await expect(conflict).toBeHidden()
  await page.goBack()
  await expect(merged).toHaveValue('First of mine\nSecond\nThird of both\nFourth of theirs')
  await assertAccessible(page)
  // What they add meanwhile is merged with it.
  const more = `${theirs}\nFifth of theirs`
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { description: more })
  page.on('dialog', (dialog) => dialog.accept())
  await page.reload()
  const both = 'First of mine\nSecond\nThird of both\nFourth of theirs'
  await expect(merged).toHaveValue(`${both}\nFifth of theirs`)
  await conflict.getByRole('button', { name: 'Save merged version' }).press('ControlOrMeta+Enter')
  await expect(conflict).toBeHidden()
  await page.getByText('Third of both').waitFor()
  type Saved = Record<'description' | 'status_category', string>
  const saved = () => ask<Saved>('owner', `GET /api/v1/tasks/${id}`)
  await expect.poll(async () => (await saved()).description).toBe(`${both}\nFifth of theirs`)
  assert.equal((await saved()).status_category, 'unstarted')
})

browserTest('undoing a move to another group overwrites nobody', async (fixture) => {
  const { as, ask, team, allow } = fixture
  allow(412)
  const { id } = await seedTask(fixture)
  await seedTasks(fixture, 1, () => ({ title: 'Two', status: 'in_progress' }))
  const readStatus = async () =>
    (await ask<{ status: string }>('owner', `GET /api/v1/tasks/${id}`)).status
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  const row = page.getByRole('row', { name: /One/ })
  await row.waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Alt+ArrowDown')
  await expect.poll(readStatus).toBe('in_progress')
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { status: 'canceled' })
  await expect(row.getByRole('button', { name: /^Canceled/ })).toBeVisible()
  await pressUndo(page)
  await expect(row.getByRole('button', { name: 'Someone else also changed this' })).toBeVisible()
  assert.equal(await readStatus(), 'canceled')
})

browserTest(
  'keeps a draft over a reload, and merges it against the version it started from',
  async (fixture) => {
    const { as, ask, team, allow } = fixture
    allow(412, /ERR_FAILED/)
    const { id, short_id } = await seedTask(fixture)
    const page = await as('member')
    await blockLiveUpdates(page)
    await page.goto(`/w/${team.workspace}/t/${short_id}`)
    await page.getByText('Second').waitFor()
    await page.keyboard.press('Shift+E')
    await page.getByLabel('Description', { exact: true }).fill(`${BASE}\nFifth`)
    await page.keyboard.press('Escape')
    await page.getByText('Add a comment. Use @ to mention someone').click()
    await page.getByLabel('Comment', { exact: true }).fill('Half a thought')
    await ask('owner', `PATCH /api/v1/tasks/${id}`, { description: BASE.replace('First', '1st') })
    await page.reload()
    await expect(page.getByLabel('Comment', { exact: true })).toHaveValue('Half a thought')
    await expect(page.getByLabel('Description', { exact: true })).toHaveValue(`${BASE}\nFifth`)
    await page.getByLabel('Description', { exact: true }).press('ControlOrMeta+Enter')
    const conflict = page
      .getByRole('alert')
      .filter({ hasText: 'The owner also changed “Description”' })
    await expect(conflict.getByRole('textbox')).toHaveValue('1st\nSecond\nThird\n\nFourth\nFifth')
    await conflict.getByRole('button', { name: 'Use theirs' }).click()
    await page.getByText('1st').waitFor()

    // Without the draft, editing goes on from the text of now.
    await page.keyboard.press('Shift+E')
    const editor = page.getByLabel('Description', { exact: true })
    await editor.fill('Half a description')
    await page.keyboard.press('Escape')
    await ask('owner', `PATCH /api/v1/tasks/${id}`, { description: 'Text of now' })
    await page.reload()
    await expect(editor).toHaveValue('Half a description')
    const description = page.locator('.description')
    await description.getByRole('button', { name: 'Discard draft' }).click()
    await expect(editor).toHaveValue('Text of now')
    await expect(editor).toBeFocused()
  },
)

const titleOf = async (ask: BrowserFixture['ask'], id: string) =>
  (await ask<{ title: string }>('owner', `GET /api/v1/tasks/${id}`)).title

browserTest(
  'deleting a task in conflict sends the deletion and keeps the typed text',
  async (fixture) => {
    const { as, ask, team, allow } = fixture
    allow(404, 412, /ERR_FAILED/)
    const { id } = await seedTask(fixture)
    const page = await as('member')
    await blockLiveUpdates(page)
    await page.goto(`/w/${team.workspace}/p/ENG`)
    const row = page.getByRole('row', { name: /One|Mine/ })
    await row.waitFor()
    await ask('owner', `PATCH /api/v1/tasks/${id}`, { title: 'Theirs' })
    await row.press('e')
    await page.getByRole('textbox', { name: 'Title' }).fill('Mine')
    await page.keyboard.press('Enter')
    await row.getByRole('button', { name: 'Someone else also changed this' }).waitFor()
    await row.press('#')
    await expect(row).toBeHidden()
    const countTasks = async () => {
      const path = `GET /api/v1/projects/${team.project}/tasks`
      return (await ask<{ data: unknown[] }>('owner', path)).data.length
    }
    await expect.poll(countTasks).toBe(0)
    await expect(page.getByRole('button', { name: 'Copy text' })).toBeVisible()
  },
)

browserTest('an open picker of a row overwrites nobody', async (fixture) => {
  const { as, ask, team, allow } = fixture
  allow(412)
  const { id } = await seedTask(fixture)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByRole('row', { name: /One/ }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('p')
  const urgent = page.getByRole('option', { name: 'Urgent' })
  await urgent.waitFor()
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { title: 'Two', priority: 'high' })
  const row = page.getByRole('row', { name: /Two/ })
  await row.waitFor()
  await urgent.click()
  await expect(row.getByRole('button', { name: 'Someone else also changed this' })).toBeVisible()
  const saved = await ask<{ priority: string }>('owner', `GET /api/v1/tasks/${id}`)
  assert.equal(saved.priority, 'high')
})

/** Opens a task, and the field of its estimate; the owner can change both while it is open. */
async function editEstimate(fixture: BrowserFixture, estimate_seconds: number | null) {
  const { as, ask, team, allow } = fixture
  allow(412)
  const { id, short_id } = await seedTask(fixture)
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { estimate_seconds })
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${short_id}`)
  const button = page.getByRole('button', { name: /^Estimate: / })
  await button.click()
  const field = page.getByRole('textbox', { name: /^Estimate: / })
  await expect(field).toBeFocused()
  return {
    ...{ page, button, field },
    /** Changes the estimate as the owner and waits until the page has heard of it. */
    async changeMeanwhile(title: string, hours: number) {
      const changes = { title, estimate_seconds: hours * 3_600, start_date: '2026-03-01' }
      await ask('owner', `PATCH /api/v1/tasks/${id}`, changes)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
    },
    readHours: async () => {
      const path = `GET /api/v1/tasks/${id}`
      return (await ask<{ estimate_seconds: number }>('owner', path)).estimate_seconds / 3_600
    },
  }
}

browserTest('an open text field never overwrites a colleague’s change unasked', async (fixture) => {
  const { page, button, field, changeMeanwhile, readHours } = await editEstimate(fixture, 3_600)
  await changeMeanwhile('Two', 2)
  await expect(field).toHaveValue('1h')
  await page.keyboard.press('Enter')
  await expect(button).toHaveText('2h')

  await button.click()
  await field.fill('3h')
  await changeMeanwhile('Three', 4)
  await page.keyboard.press('Enter')
  const conflict = page.getByRole('alert').filter({ hasText: 'The owner changed it to 4h' })
  await expect(conflict).toContainText('You changed it to 3h')
  assert.equal(await readHours(), 4)
  await conflict.getByRole('button', { name: 'Keep mine' }).click()
  await expect.poll(readHours).toBe(3)

  // Leaving the field saves what has been corrected.
  await button.click()
  await field.fill('2 hoorz')
  await page.keyboard.press('Enter')
  await expect(field).toHaveAttribute('aria-invalid', 'true')
  await field.fill('2h')
  await page.keyboard.press('Tab')
  await expect.poll(readHours).toBe(2)
})

browserTest('a colleague who sets a property takes no typed text away', async (fixture) => {
  const { page, button, field, changeMeanwhile } = await editEstimate(fixture, null)
  await field.fill('3h')
  await changeMeanwhile('Two', 2)
  // Esc that closes the list of an input method leaves the field open.
  await field.dispatchEvent('keydown', { key: 'Escape', isComposing: true })
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('3h')
  await page.keyboard.press('Enter')
  const conflict = page.getByRole('alert').filter({ hasText: 'The owner changed it to 2h' })
  await expect(conflict).toContainText('You changed it to 3h')
  await expect(button).toBeFocused()
})
