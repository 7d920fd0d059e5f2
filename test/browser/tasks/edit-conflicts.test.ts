import assert from 'node:assert/strict'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdUndo, pressUndo } from '../support/keyboard/press-undo.ts'
import { blockLiveUpdates } from '../support/reads/hold-reads.ts'
import { routeRequests } from '../support/route-requests.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'

async function seedTask({ ask, team }: BrowserFixture) {
  const [made] = await seedTasks({ ask, team }, 1, () => ({
    title: 'One',
    priority: 'low',
    estimate_seconds: 3_600,
    custom_fields: { cost: 1 },
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
    await expect.poll(() => titleOf(ask, id)).toBe('Two')

    // With the same field, my own value stays on the screen until one is chosen.
    await ask('owner', `PATCH /api/v1/tasks/${id}`, { title: 'Theirs' })
    await rename('Mine')
    const conflict = page.getByRole('alert').filter({ hasText: 'The owner changed it to Theirs' })
    await expect(conflict).toContainText('You changed it to Mine')
    await expect(title('Mine')).toBeVisible()
    await assertAccessible(page, { within: '[role=alert]' })
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
    await assertAccessible(page, { within: '[role=alert]' })
    await ofEstimate.getByRole('button', { name: 'Keep mine' }).click()
    await expect(page.getByRole('button', { name: 'Estimate: None. Change' })).toBeVisible()
  },
)

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
  await holdUndo(page)
  await expect.poll(readStatus).toBe('in_progress')
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { status: 'canceled' })
  await expect(row.getByRole('button', { name: /^Canceled/ })).toBeVisible()
  await pressUndo(page)
  await expect(row.getByRole('button', { name: 'Someone else also changed this' })).toBeVisible()
  assert.equal(await readStatus(), 'canceled')
})

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

browserTest('a message about a conflict elsewhere opens the task', async (fixture) => {
  const { as, ask, team, allow } = fixture
  allow(412, /ERR_FAILED/)
  const { id, short_id } = await seedTask(fixture)
  const page = await as('member')
  await blockLiveUpdates(page)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByRole('row', { name: /One/ }).waitFor()
  const held = Promise.withResolvers<void>()
  await routeRequests(page, `**/api/v1/tasks/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') await held.promise
    await route.fallback()
  })
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { priority: 'high' })
  await page.keyboard.press('j')
  await page.keyboard.press('p')
  await page.getByRole('option', { name: 'Urgent' }).click()
  await page.getByRole('link', { name: 'Inbox' }).first().click()
  await page.waitForURL('**/inbox')
  held.resolve()
  await page.getByText(`Someone else also changed ${short_id}.`).waitFor()
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/t/${short_id}$`))
  await expect(page.getByRole('button', { name: 'Keep mine' })).toBeVisible()
})

/** Opens a task, and the field of its estimate; the owner can change both while it is open. */
async function editEstimate(fixture: BrowserFixture, estimate_seconds: number | null) {
  const { as, ask, team, allow } = fixture
  allow(412)
  const { id, short_id } = await seedTask(fixture)
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { estimate_seconds })
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${short_id}`)
  if (estimate_seconds === null) await page.getByRole('button', { name: 'Add property' }).click()
  const button = page.getByRole('button', { name: /^Estimate: / })
  await button.click()
  const field = page.getByRole('textbox', { name: /^Estimate: / })
  await expect(field).toBeFocused()
  return {
    page,
    button,
    field,
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

browserTest('another due date clears no time that somebody has set meanwhile', async (fixture) => {
  const { as, ask, team, allow } = fixture
  allow(412, /ERR_FAILED/)
  const [today, tomorrow] = [dateFromToday(0), dateFromToday(1)]
  const [task] = await seedTasks(fixture, 2, (n) => ({
    title: n === 0 ? 'One' : 'Two',
    due_date: n === 0 ? tomorrow : today,
  }))
  const page = await as('member')
  await blockLiveUpdates(page)
  await page.goto(`/w/${team.workspace}/p/ENG?group=due`)
  const row = page.getByRole('row', { name: /One/ })
  await row.waitFor()
  const due_at = `${tomorrow}T12:00:00.000Z`
  await ask('owner', `PATCH /api/v1/tasks/${task?.id}`, { due_at })
  await row.focus()
  await row.press('Alt+ArrowUp')
  await expect(row.getByRole('button', { name: 'Someone else also changed this' })).toBeVisible()
  const now = await ask<{ due_at: string }>('owner', `GET /api/v1/tasks/${task?.id}`)
  assert.equal(now.due_at, due_at)
})

browserTest('a title that is being typed outlives its task', async (fixture) => {
  const { as, ask, team, allow } = fixture
  allow(404)
  const { id } = await seedTask(fixture)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('Live').waitFor()
  const row = page.getByRole('row', { name: /One/ })
  await row.focus()
  await row.press('e')
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine')
  await ask('owner', `DELETE /api/v1/tasks/${id}`)
  await expect(page.getByRole('textbox', { name: 'Title' })).toBeHidden()
  await expect(page.getByText(/it was deleted\.$/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Copy text' })).toBeVisible()
})

browserTest('saves a property whose screen is left while it is being typed', async (fixture) => {
  const { page, button, field, readHours } = await editEstimate(fixture, 3_600)
  await field.fill('2h')
  await field.press('Escape')
  await page.getByRole('link', { name: 'My work', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor()
  await page.goBack()
  await button.click()
  await expect(field).toHaveValue('1h')
  await field.fill('3h')
  await page.goForward()
  await expect.poll(readHours).toBe(3)
})
