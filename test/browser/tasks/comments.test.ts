import { browserTest, expect } from '../support/browser-test.ts'
import { expectWritten } from '../support/page-actions.ts'
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
  expect(await countComments()).toBe(2)
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
