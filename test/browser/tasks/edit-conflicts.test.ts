import assert from 'node:assert/strict'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { expectWritten } from '../support/page-actions.ts'
import { blockLiveUpdates, holdRequests } from '../support/route-requests.ts'
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

browserTest('an edit conflict shows both values, and one can be chosen', async (fixture) => {
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
})

const titleOf = async (ask: BrowserFixture['ask'], id: string) =>
  (await ask<{ title: string }>('owner', `GET /api/v1/tasks/${id}`)).title

browserTest('a list asks before it overwrites somebody else', async (fixture) => {
  const { openAs, ask, allow } = fixture
  allow(404, 412)
  const { id } = await seedTask(fixture)
  await seedTasks(fixture, 1, () => ({ title: 'Two', status: 'in_progress' }))
  const read = () => ask<Record<string, string>>('owner', `GET /api/v1/tasks/${id}`)
  const change = (fields: object) => ask('owner', `PATCH /api/v1/tasks/${id}`, fields)
  const page = await openAs('member', 'p/ENG')
  const row = page.locator('[data-number="1"]')
  const conflict = row.getByRole('button', { name: 'Someone else also changed this' })
  await page.getByText('Live').waitFor()
  // A picker that was opened before.
  await row.focus()
  await page.keyboard.press('p')
  const urgent = page.getByRole('option', { name: 'Urgent' })
  await urgent.waitFor()
  await change({ title: 'Renamed', priority: 'high' })
  await expect(row).toContainText('Renamed')
  await urgent.click()
  await expect(conflict).toBeVisible()
  assert.equal((await read()).priority, 'high')
  await conflict.click()
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await expect.poll(async () => (await read()).priority).toBe('urgent')
  await page.keyboard.press('Escape')
})

browserTest('a banner asks for a choice on every screen until it is made', async (fixture) => {
  const { as, ask, team, allow } = fixture
  allow(412, /ERR_FAILED/)
  const { id, short_id } = await seedTask(fixture)
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { due_date: dateFromToday(2) })
  const page = await as('member')
  await blockLiveUpdates(page)
  await page.goto(`/w/${team.workspace}/p/ENG?view=timeline`)
  const row = page.locator('.plan-row[data-number="1"]')
  await row.focus()
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { due_date: dateFromToday(9) })
  await page.keyboard.press('Alt+ArrowRight')
  const banner = page.getByRole('paragraph').filter({ hasText: `also changed ${short_id}.` })
  await banner.waitFor()
  // Unlike a message, it stays when another one comes, and on the next screen.
  await page.getByRole('link', { name: 'Inbox' }).first().click()
  await page.waitForURL('**/inbox')
  await page.reload()
  await banner.getByRole('button', { name: 'Open' }).click()
  const choice = page.getByRole('button', { name: 'Use theirs' })
  await choice.waitFor()
  await expect(banner).toBeHidden()
  await page.goBack()
  await banner.waitFor()
  await page.goForward()
  await choice.click()
  await page.goBack()
  await page.waitForURL('**/inbox')
  await expect(banner).toBeHidden()
})

browserTest('tells a conflict elsewhere, and keeps the text of a deleted task', async (fixture) => {
  const { as, ask, list, team, allow } = fixture
  allow(404, 412, /ERR_FAILED/)
  const { id, short_id } = await seedTask(fixture)
  const tomorrow = dateFromToday(1)
  await seedTasks(fixture, 1, () => ({ title: 'Two', due_date: tomorrow }))
  const page = await as('member')
  await blockLiveUpdates(page)
  await page.goto(`/w/${team.workspace}/p/ENG`)
  const row = page.locator('[data-number="1"]')
  await row.waitFor()
  const release = await holdRequests(page, `**/api/v1/tasks/${id}`, 'PATCH')
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { title: 'Theirs' })
  await row.press('e')
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Inbox' }).first().click()
  await page.waitForURL('**/inbox')
  release()
  await page.getByText(`Someone else also changed ${short_id}.`).waitFor()
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/t/${short_id}$`))
  await expect(page.getByRole('button', { name: 'Keep mine' })).toBeVisible()
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('#')
  const countTasks = async () =>
    (await list<unknown>(`GET /api/v1/projects/${team.project}/tasks`)).length
  await expect.poll(countTasks).toBe(1)
  await expect(page.getByRole('button', { name: 'Copy text' })).toBeVisible()
})

browserTest('an open field never overwrites a colleague’s change unasked', async (fixture) => {
  const { openAs, ask, allow } = fixture
  allow(412)
  const { id, short_id } = await seedTask(fixture)
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { estimate_seconds: null })
  const page = await openAs('member', `t/${short_id}`)
  await page.getByRole('button', { name: 'Add property' }).click()
  const button = page.getByRole('button', { name: /^Estimate: / })
  const field = page.getByRole('textbox', { name: /^Estimate: / })
  /** Changes the estimate as the owner and waits until the page has heard of it. */
  const changeMeanwhile = async (title: string, hours: number) => {
    const changes = { title, estimate_seconds: hours * 3_600, start_date: '2026-03-01' }
    await ask('owner', `PATCH /api/v1/tasks/${id}`, changes)
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
  }
  const readHours = async () =>
    (await ask<{ estimate_seconds: number }>('owner', `GET /api/v1/tasks/${id}`)).estimate_seconds /
    3_600
  const conflict = page.getByRole('alert')

  // A colleague who sets the property takes no typed text away.
  await button.click()
  await field.fill('3h')
  await changeMeanwhile('Two', 2)
  // Esc that closes the list of an input method leaves the field open.
  await field.dispatchEvent('keydown', { key: 'Escape', isComposing: true })
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('3h')
  await page.keyboard.press('Enter')
  await expect(conflict).toContainText('The owner changed it to 2h')
  await expect(conflict).toContainText('You changed it to 3h')
  await expect(button).toBeFocused()
  assert.equal(await readHours(), 2)
  await conflict.getByRole('button', { name: 'Use theirs' }).click()
  await expect(conflict).toBeHidden()

  // What nobody has typed is theirs without a question.
  await button.click()
  await changeMeanwhile('Three', 4)
  await expect(field).toHaveValue('2h')
  await page.keyboard.press('Enter')
  await expect(button).toHaveText('4h')
})

const BASE = 'First\nSecond\nThird\n\nFourth'

/** Opens a task in the editor of its description; the page does not hear of the changes of others. */
async function openDescription({ as, ask, team, allow }: BrowserFixture) {
  allow(412, /ERR_FAILED/)
  const [task] = await seedTasks({ ask, team }, 1, () => ({ title: 'One', description: BASE }))
  assert.ok(task)
  const page = await as('member')
  await blockLiveUpdates(page)
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  await page.getByText('Second').waitFor()
  await page.keyboard.press('Shift+E')
  return { page, id: task.id, editor: page.getByLabel('Description', { exact: true }) }
}

browserTest('merges two edits of a description by line and loses neither', async (fixture) => {
  const { ask, team } = fixture
  const { page, id, editor } = await openDescription(fixture)
  await editor.fill(BASE.replace('First', 'First of mine').replace('Third', 'Third of mine'))
  const mention = `<@${team.people.owner.id}>`
  const theirs = BASE.replace('Fourth', `Fourth of ${mention}`).replace('Third', 'Third of theirs')
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { description: theirs })
  await page.keyboard.press('ControlOrMeta+Enter')
  const conflict = page
    .getByRole('alert')
    .filter({ hasText: 'The owner also changed “Description”' })
  await expect(conflict).toContainText('You both edited the same place')
  const merged = conflict.getByRole('textbox')
  await expect(merged).toHaveValue(
    'First of mine\nSecond\nThird of mine\nThird of theirs\n\nFourth of @The owner',
  )
  await assertAccessible(page)
  await expect(conflict).not.toContainText('usr_')
  const both = 'First of mine\nSecond\nThird of both\nFourth of @The owner'
  await merged.fill(both)
  // Looking at another screen loses nothing of it.
  await page.getByRole('link', { name: 'My work', exact: true }).click()
  await expect(conflict).toBeHidden()
  await page.goBack()
  await expect(merged).toHaveValue(both)
  await conflict.getByRole('button', { name: 'Save merged version' }).press('ControlOrMeta+Enter')
  await expect(conflict).toBeHidden()
  await page.getByText('Third of both').waitFor()
  type Saved = Record<'description' | 'status_category', string>
  const saved = () => ask<Saved>('owner', `GET /api/v1/tasks/${id}`)
  await expect
    .poll(async () => (await saved()).description)
    .toBe(both.replace('@The owner', mention))
  assert.equal((await saved()).status_category, 'unstarted')
})

browserTest('merges two edits of a comment in different lines', async (fixture) => {
  const { as, ask, team, allow } = fixture
  allow(412, /ERR_FAILED/)
  const { id, short_id } = await seedTask(fixture)
  const comments = `POST /api/v1/tasks/${id}/comments`
  const made = await ask<{ id: string }>('member', comments, { body: BASE })
  const page = await as('member')
  await blockLiveUpdates(page)
  await page.goto(`/w/${team.workspace}/t/${short_id}`)
  await page.getByRole('button', { name: 'More actions for comment by The member' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const field = page.getByLabel('Comment', { exact: true })
  await field.fill(BASE.replace('First', 'First of mine'))
  await ask('member', `PATCH /api/v1/comments/${made.id}`, { body: `${BASE}\nFifth elsewhere` })
  await page.keyboard.press('ControlOrMeta+Enter')
  await page.getByText('Both changes were kept').waitFor()
  await expect(page.getByText('Fifth elsewhere')).toBeVisible()
  const read = () => ask<{ body: string }>('member', `GET /api/v1/comments/${made.id}`)
  const merged = `${BASE.replace('First', 'First of mine')}\nFifth elsewhere`
  await expect.poll(async () => (await read()).body).toBe(merged)
})

browserTest('merges a draft with what others have changed since', async (fixture) => {
  const { ask } = fixture
  const { page, id, editor } = await openDescription(fixture)
  await editor.fill(`${BASE}\nFifth`)
  await page.keyboard.press('Escape')
  await page.getByText('Add a comment. Use @ to mention someone').click()
  await page.getByLabel('Comment', { exact: true }).fill('Half a thought')
  await ask('owner', `PATCH /api/v1/tasks/${id}`, { description: BASE.replace('First', '1st') })
  await page.reload()
  await expectWritten(page.getByLabel('Comment', { exact: true }), 'Half a thought')
  await expectWritten(editor, `${BASE}\nFifth`)
  await editor.press('ControlOrMeta+Enter')
  // Changes of other lines are kept as well, without a question.
  await page.getByText('Both changes were kept').waitFor()
  await page.getByText('1st').waitFor()
  const merged = '1st\nSecond\nThird\n\nFourth\nFifth'
  const read = () => ask<{ description: string }>('owner', `GET /api/v1/tasks/${id}`)
  await expect.poll(async () => (await read()).description).toBe(merged)
})
