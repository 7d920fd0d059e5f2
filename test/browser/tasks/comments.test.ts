import { browserTest, expect } from '../support/browser-test.ts'
import { expectWritten } from '../support/page-actions.ts'
import { holdRequests, routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'

browserTest('answers, edits and deletes a comment by keyboard', async (fixture) => {
  const { as, team, ask, list } = fixture
  const [task] = await seedTasks(fixture, 1)
  const comments = `/api/v1/tasks/${task?.id}/comments`
  await ask('member', `POST ${comments}`, { body: 'Said too soon' })
  const page = await as('member')
  await page.clock.install()
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' }),
  )
  await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
  const reply = page.getByRole('button', { name: 'Reply' })
  await reply.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Reply' })).toBeFocused()
  await page.keyboard.type('Indeed')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(reply).toBeFocused()

  // The menu takes the focus back when it closes, and what is typed then must not be shortcuts.
  const more = page.getByRole('button', { name: 'More actions for comment by The member' }).first()
  await more.press('Enter')
  await page.getByRole('menuitem', { name: 'Edit' }).press('Enter')
  await expect(page.getByRole('menu')).toHaveCount(0)
  const editor = page.getByRole('textbox', { name: 'Comment', exact: true })
  await expect(editor).toBeFocused()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type(', I #think')
  await expectWritten(editor, 'Said too soon, I #think')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(more).toBeFocused()
  const comment = page.getByText('Said too soon, I #think')
  await expect(comment).toBeVisible()

  // A deleted comment comes back by undo, also when its toast is gone.
  await more.click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(comment).toBeHidden()
  // The toast stays while it has the focus, also once the pointer has left it.
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.focus()
  await undo.hover()
  await page.mouse.move(0, 0)
  await page.clock.fastForward(20_000)
  await expect(undo).toBeFocused()
  await undo.click()
  await expect(comment).toBeVisible()
  await more.click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const toast = page.getByRole('listitem').filter({ hasText: /^Comment deleted/ })
  await toast.getByRole('button', { name: 'Dismiss' }).click()
  const countComments = async () => (await list(`GET ${comments}`)).length
  await expect.poll(countComments).toBe(1)
  await page.keyboard.press('Meta+z')
  await expect(comment).toBeVisible()
  await expect.poll(countComments).toBe(2)
  await page.keyboard.press('Meta+Shift+z')
  await expect.poll(countComments).toBe(1)
  await expect(comment).toBeHidden()
})

browserTest('a reply to a deleted comment moves to the comment field', async (fixture) => {
  const { as, team, ask, allow } = fixture
  allow(404)
  const [task] = await seedTasks(fixture, 1)
  const comments = `/api/v1/tasks/${task?.id}/comments`
  const say = (role: 'owner' | 'member', body: string) =>
    ask<{ id: string }>(role, `POST ${comments}`, { body })
  const first = await say('owner', 'Who can look?')
  const second = await say('owner', 'And when?')
  const own = await say('member', 'Said too soon')
  const page = await as('member')
  const address = `/w/${team.workspace}/t/${task?.short_id}`
  await page.goto(address)
  const field = page.getByRole('textbox', { name: 'Comment', exact: true })
  const reply = page.getByRole('textbox', { name: 'Reply' })
  const replyTo = (text: string) =>
    page.getByRole('article').filter({ hasText: text }).getByRole('button', { name: 'Reply' })
  await replyTo('Who can look?').click()
  await expect(reply).toBeFocused()
  await page.keyboard.type('I can, ')
  await ask('owner', `DELETE /api/v1/comments/${first.id}`)
  await expect(page.getByText('The comment was deleted. Your text is')).toBeVisible()
  await expect(field).toBeFocused()
  await page.keyboard.type('soon')
  await expectWritten(field, 'I can, soon')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(field).toBeHidden()

  // So do drafts, if the comments were deleted while their task was closed.
  await replyTo('And when?').click()
  await reply.fill('Tomorrow')
  await reply.press('Escape')
  await page
    .getByRole('article')
    .filter({ hasText: 'Said too soon' })
    .getByRole('button', { name: 'More actions for comment by The member' })
    .click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await field.fill('Said just in time')
  await field.press('Escape')
  await page.goto('about:blank')
  for (const { id } of [second, own]) await ask('owner', `DELETE /api/v1/comments/${id}`)
  await page.goto(address)
  await expect(page.getByText('The comment was deleted. Your text is')).toBeVisible()
  await expectWritten(field, 'Tomorrow\n\nSaid just in time')
})

browserTest('takes a comment back by undo, before and after it was sent', async (fixture) => {
  const { openAs, list } = fixture
  const [task] = await seedTasks(fixture, 1)
  const page = await openAs('member', `t/${task?.short_id}`)
  const countComments = async () => (await list(`GET /api/v1/tasks/${task?.id}/comments`)).length
  const write = async (text: string) => {
    await page.keyboard.press('m')
    await page.getByRole('textbox', { name: 'Comment', exact: true }).fill(text)
    await page.keyboard.press('ControlOrMeta+Enter')
  }
  await page.getByRole('heading', { level: 1 }).waitFor()
  await write('Too soon')
  await expect.poll(countComments).toBe(1)
  await page.keyboard.press('ControlOrMeta+z')
  await expect(page.getByText('Too soon')).toBeHidden()
  await expect.poll(countComments).toBe(0)
  await page.keyboard.press('ControlOrMeta+Shift+z')
  await expect(page.getByText('Too soon')).toBeVisible()
  await expect.poll(countComments).toBe(1)

  // So does the change of its text.
  const edit = page.getByRole('textbox', { name: 'Comment', exact: true })
  await page.getByRole('button', { name: 'More actions for comment by The member' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await edit.fill('Just in time')
  await page.keyboard.press('ControlOrMeta+Enter')
  const readBody = async () =>
    (await list<{ body: string }>(`GET /api/v1/tasks/${task?.id}/comments`))[0]?.body
  await expect.poll(readBody).toBe('Just in time')
  await expect(page.getByText('Comment edited')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+z')
  await expect.poll(readBody).toBe('Too soon')
  await expect(page.getByText('Too soon')).toBeVisible()

  const release = await holdRequests(page, `**/api/v1/tasks/${task?.id}/comments`, 'POST')
  const sent = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/comments'),
  )
  await write('On its way')
  await sent
  await expect(page.getByText('On its way')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+z')
  await expect(page.getByText('On its way')).toBeHidden()
  const created = page.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().endsWith('/comments'),
  )
  const undone = page.waitForResponse((response) => response.url().endsWith('/operations/undo'))
  release()
  await created
  await undone
  await expect(page.getByText('On its way')).toBeHidden()
  expect(await countComments()).toBe(1)
})

browserTest(
  'shows older comments although their reply precedes a later change',
  async (fixture) => {
    const { openAs, ask } = fixture
    const [task] = await seedTasks(fixture, 1)
    const comments = `/api/v1/tasks/${task?.id}/comments`
    for (let n = 1; n <= 53; n++) await ask('owner', `POST ${comments}`, { body: `Remark ${n}.` })
    const page = await openAs('member', `t/${task?.short_id}`)
    await expect(page.getByText('Remark 4.', { exact: true })).toBeVisible()
    await expect(page.getByText('Remark 3.', { exact: true })).toHaveCount(0)
    await routeRequests(page, /comments\?.*cursor=/, async (route) => {
      const response = await route.fetch()
      await ask('owner', `POST ${comments}`, { body: 'The latest' })
      await page.getByText('The latest').waitFor()
      await route.fulfill({ response })
    })
    await page.getByRole('button', { name: 'Show older' }).click()
    await expect(page.getByText('The latest')).toBeVisible()
    for (let n = 1; n <= 4; n++)
      await expect(page.getByText(`Remark ${n}.`, { exact: true })).toBeVisible()
  },
)

browserTest('shows one message at a time, and leads to the next occurrence', async (fixture) => {
  const { openAs, list } = fixture
  const [task] = await seedTasks(fixture, 1, () => ({
    title: 'Water the plants',
    due_date: '2031-03-03',
    recurrence: { rrule: 'FREQ=WEEKLY', basis: 'due_date' },
  }))
  const page = await openAs('member', `t/${task?.short_id}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const messages = page.getByRole('region', { name: 'Messages' }).getByRole('listitem')
  await page.keyboard.press('i')
  await expect(messages).toHaveText(/Assigned|assigned/)
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(messages).toHaveText(/Done. Next: 10 Mar 2031/)
  const history = page.getByText(/completed this task. Next: 10 Mar 2031/)
  await expect(history.getByRole('link')).toBeVisible()
  await messages.getByRole('button', { name: 'Open' }).click()
  const next = (await list<{ short_id: string }>('GET /api/v1/tasks?sort=-created_at'))[0]
  await expect(page).toHaveURL(new RegExp(`/t/${next?.short_id}$`))
  await expect(page.getByRole('button', { name: /^Due date: .*10 Mar/ })).toBeVisible()
})
