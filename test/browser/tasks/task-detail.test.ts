import assert from 'node:assert/strict'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { CONNECTION_ERRORS } from '../support/open-list.ts'
import { routeRequests } from '../support/route-requests.ts'
import { dateFromToday, seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'
import { expectWritten } from '../support/written-text.ts'

/** Opens the page of a new task as the member. */
async function openTask(fixture: BrowserFixture) {
  const { as, ask, team } = fixture
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'Ship the importer' }))
  assert.ok(task)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  await page.getByRole('heading', { level: 1, name: 'Ship the importer' }).waitFor()
  const frame = page.locator('.task-frame')
  const saved = () => ask<Record<string, unknown>>('owner', `GET /api/v1/tasks/${task.id}`)
  return { page, keys: page.keyboard, frame, saved }
}

browserTest(
  'shortcuts edit the title, priority, tags, due date and assignee of a task',
  async (fixture) => {
    const { page, keys, frame, saved } = await openTask(fixture)
    const highlighted = (name: string) =>
      expect(page.getByRole('option', { name })).toHaveAttribute('data-focused', 'true')

    await keys.press('e')
    await expect(page.getByLabel('Title')).toBeFocused()
    await keys.press('End')
    await keys.type(' today')
    await keys.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Ship the importer today' }).waitFor()

    await keys.press('p')
    await page.getByRole('option', { name: 'Urgent' }).waitFor()
    await keys.press('Escape')
    await expect(frame.getByRole('button', { name: 'Priority: No priority. Change' })).toBeFocused()
    // Once the picker is loaded, typing right after the shortcut filters it.
    await keys.press('p')
    await keys.type('urg')
    await highlighted('Urgent')
    await keys.press('Enter')
    await expect(frame.getByRole('button', { name: 'Priority: Urgent. Change' })).toBeFocused()

    await keys.press('l')
    await expect(page.locator('[data-overlay] input')).toBeFocused()
    await keys.type('import')
    await highlighted('Create tag “import”')
    await keys.press('Enter')
    await expect(page.getByRole('option', { name: 'import', selected: true })).toBeVisible()
    await keys.press('Escape')
    await frame.getByRole('button', { name: 'Tags: import. Change' }).waitFor()

    await keys.press('d')
    await expect(page.locator('[data-overlay] input').first()).toBeFocused()
    await keys.type('tomorrow')
    await keys.press('Enter')
    await frame.getByRole('button', { name: /^Due date: Tomorrow / }).waitFor()

    await keys.press('i')
    await frame.getByRole('button', { name: 'Assignees: The member. Change' }).waitFor()
    const fields = async () => {
      const { title, priority, due_date, assignee_ids } = await saved()
      return [title, priority, due_date, assignee_ids]
    }
    // The page shows the changes at once and sends them one after the other.
    await expect
      .poll(fields)
      .toEqual([
        'Ship the importer today',
        'urgent',
        dateFromToday(1),
        [fixture.team.people.member.id],
      ])

    // A title is saved also if its screen is left while it is being edited.
    const heading = page.getByRole('heading', { level: 1, name: 'Ship the importer today' })
    await page.getByRole('link', { name: 'My work', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor()
    await page.goBack()
    await heading.dblclick()
    await expect(page.getByLabel('Title')).toBeFocused()
    await keys.type(' for all')
    await page.goForward()
    await expect.poll(async () => (await saved()).title).toBe('Ship the importer today for all')
  },
)

browserTest(
  'shortcuts add a description, subtasks, a custom field and a comment with a mention',
  async (fixture) => {
    const { page, keys, frame, saved } = await openTask(fixture)
    await keys.press('Shift+E')
    await expect(frame.getByLabel('Description', { exact: true })).toBeFocused()
    await keys.type('It reads **CSV**.')
    await keys.press('ControlOrMeta+Enter')
    await expect(frame.locator('.description strong')).toHaveText('CSV')

    await keys.press('Shift+C')
    await expect(frame.getByLabel('Subtask title')).toBeFocused()
    await keys.type('Read the head')
    await keys.press('Enter')
    await frame.getByRole('link', { name: 'Read the head' }).waitFor()
    // Pasted lines leave what is being typed.
    await keys.type('Half')
    await frame.getByLabel('Subtask title').evaluate((field) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text', 'Read the rows\nCheck them\n')
      const event = { clipboardData, bubbles: true, cancelable: true }
      field.dispatchEvent(new ClipboardEvent('paste', event))
    })
    await frame.getByRole('link', { name: 'Check them' }).waitFor()
    await frame.getByRole('button', { name: 'Log time' }).click()
    const logged = frame.getByRole('textbox', { name: 'Log time' })
    await logged.fill('1h call')
    // Looking at another screen loses nothing of what is typed.
    await page.getByRole('link', { name: 'My work', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor()
    await page.goBack()
    await expect(logged).toHaveValue('1h call')
    await expect(frame.getByLabel('Subtask title')).toHaveValue('Half')
    await frame.getByLabel('Subtask title').press('Escape')
    await expect(frame.getByRole('button', { name: 'Add subtask' })).toBeFocused()

    await frame.getByRole('button', { name: 'Add property' }).press('Enter')
    const addField = frame.getByRole('button', { name: 'Custom field' })
    await addField.press('Enter')
    await keys.type('cost')
    await keys.press('Tab')
    await keys.type('5')
    await keys.press('Enter')
    await frame.getByRole('button', { name: 'cost: 5. Change' }).waitFor()
    await expect(addField).toBeFocused()

    await keys.press('m')
    await expect(frame.getByLabel('Comment', { exact: true })).toBeFocused()
    await keys.type('Done soon, @The own')
    await page.getByRole('option', { name: 'The owner' }).waitFor()
    await keys.press('Enter')
    await keys.press('ControlOrMeta+Enter')
    await expect(frame.locator('.said .mention')).toHaveText('@The owner')
    await expect
      .poll(async () => {
        const { description, subtask_count, comment_count } = await saved()
        return [description, subtask_count, comment_count]
      })
      .toEqual(['It reads **CSV**.', 3, 1])

    // All subtasks are read, also if a page of the API has fewer.
    await page.route('**/tasks?*parent_id=*', (route) =>
      route.continue({ url: route.request().url().replace('limit=200', 'limit=2') }),
    )
    await page.reload()
    for (const name of ['Read the head', 'Read the rows', 'Check them'])
      await expect(frame.getByRole('link', { name })).toBeVisible()
  },
)

browserTest(
  'a rule of recurrence can be typed, and people of one name be told apart',
  async (fixture) => {
    const { team, docket, as } = fixture
    const admin = await as('admin')
    const rename = { headers: { origin: docket.url }, data: { name: 'The owner' } }
    assert.equal((await admin.request.patch('/internal/account', rename)).status(), 200)
    const { page, keys, frame, saved } = await openTask(fixture)
    await frame.getByRole('button', { name: 'Add property' }).click()
    await frame.getByRole('button', { name: /^Repeat: / }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Every').selectOption('day')
    const rule = form.getByLabel('Rule')
    await rule.press('ControlOrMeta+a')
    await keys.press('Delete')
    await expect(rule).toBeFocused()
    await keys.type('FREQ=MON')
    await expect(form.getByRole('button', { name: 'Save' })).toHaveAttribute(
      'aria-disabled',
      'true',
    )
    await keys.type('THLY')
    await form.getByRole('button', { name: 'Save' }).click()
    await frame.getByRole('button', { name: /^Repeat: every month/ }).waitFor()
    assert.deepEqual((await saved()).recurrence, { rrule: 'FREQ=MONTHLY', basis: 'completion' })

    // While it is open, keys are for the dialog.
    await expect(form).toBeHidden()
    await keys.press('m')
    await expect(frame.getByLabel('Comment', { exact: true })).toBeFocused()
    await keys.type('For @The own')
    await page.getByRole('option', { name: team.people.admin.email }).click()
    await expectWritten(
      frame.getByLabel('Comment', { exact: true }),
      `For <@${team.people.admin.id}> `,
    )
  },
)

browserTest('shortcuts start and stop the timer, and complete a task', async (fixture) => {
  const { page, keys, frame, saved } = await openTask(fixture)
  await keys.press('Shift+S')
  await expect(page.getByRole('button', { name: 'Stop timer' }).first()).toBeVisible()
  await keys.press('Shift+S')
  await expect(page.getByRole('button', { name: 'Start timer' }).first()).toBeVisible()

  await keys.press('ControlOrMeta+Enter')
  await frame.getByRole('button', { name: /^Reopen/ }).waitFor()
  await frame.getByText('completed this task').waitFor()
  assert.equal((await saved()).status_category, 'completed')
})

browserTest('a deleted task can be restored from its address', async (fixture) => {
  const { page, keys } = await openTask(fixture)
  fixture.allow(404, CONNECTION_ERRORS)
  page.on('dialog', (dialog) => dialog.accept())
  await keys.press('#')
  await page.waitForURL('**/p/ENG')
  await page.goBack()
  await page.getByText('This task is in the trash').waitFor()
  await assertAccessible(page)
  // Without an answer, the next page sends it.
  const address = '**/api/v1/tasks/*/restore'
  await routeRequests(page, address, (route) => route.abort())
  await page.getByRole('button', { name: 'Restore' }).press('Enter')
  await expect.poll(() => countStoredMutations(page)).toBe(1)
  await page.reload()
  await page.getByText('This task is in the trash').waitFor()
  await page.unroute(address)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Ship the importer' }).waitFor()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
})

browserTest(
  'a task opened during its deletion is shown as deleted once the request completes',
  async (fixture) => {
    const { page, keys, saved } = await openTask(fixture)
    fixture.allow(404)
    const released = Promise.withResolvers<void>()
    const address = /\/api\/v1\/tasks\/(ENG-1|tsk_\w+)$/
    await routeRequests(page, address, async (route) => {
      if (route.request().method() === 'DELETE') await released.promise
      await route.continue()
    })
    await keys.press('#')
    await expect(page).toHaveTitle(/Engineering/)
    const read = page.waitForResponse((reply) => address.test(reply.url()))
    await page.goBack()
    await read
    assert.ok(await saved())
    released.resolve()
    await page.getByText('This task is in the trash').waitFor()
  },
)

browserTest(
  'a menu item that a role may not use is disabled with the reason',
  async ({ as, team, ask }) => {
    const [task] = await seedTasks({ ask, team }, 1)
    assert.ok(task)
    await ask('owner', `POST /api/v1/tasks/${task.id}/comments`, { body: 'Mine' })
    const page = await as('guest')
    await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    const reason = 'Guests can only delete tasks they created.'
    const remove = page.getByRole('menuitem', { name: `Delete ${reason}` })
    await expect(remove).toHaveAttribute('aria-disabled', 'true')
    await page.getByText(reason).click({ force: true })
    await expect(page.getByRole('heading', { level: 1, name: task.title })).toBeAttached()
  },
)

browserTest('an unknown task number shows a not-found page', async ({ as, team, ask, allow }) => {
  allow(404)
  await seedTasks({ ask, team }, 1)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/ENG-11`)
  await page.getByRole('heading', { name: 'ENG-11 not found' }).waitFor()
})
