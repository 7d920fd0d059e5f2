import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

browse('a mention reaches the other’s inbox, and is dealt with by keys', async (scene) => {
  const { as, team, ask } = scene
  const { member } = team.people
  const [task, other] = await seedTasks(scene, 2, (n) => ({ title: `Errand ${n + 1}` }))
  const comments = `POST /api/v1/tasks/${task?.id}/comments`
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  const side = page.getByRole('navigation', { name: 'Main', exact: true })
  const link = side.getByRole('link', { name: /^Inbox/ })
  await expect(link).toHaveText('Inbox')

  // Somebody else names the person, while it looks at another screen.
  await ask('owner', comments, { body: `Could **you** look, <@${member.id}>?` })
  await expect(link).toHaveText(/1$/)
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await expect(page).toHaveURL(/\/inbox$/)
  const lines = page.getByRole('list', { name: 'Notifications' }).getByRole('listitem')
  await expect(lines).toHaveCount(1)
  await expect(lines).toContainText('Errand 1')
  await expect(lines).toContainText('The owner named you Could you look, @The member?')

  // What comes while the screen is open stands there by itself: one line for a task.
  await ask('owner', comments, { body: 'Please' })
  await expect(lines).toContainText('and 1 more')
  const assigned = { assignee_ids: [member.id] }
  await ask('owner', `PATCH /api/v1/tasks/${other?.id}`, assigned)
  await expect(lines).toHaveCount(2)
  await expect(lines.first()).toContainText('The owner gave it to you')
  await expect(link).toHaveText(/3$/)
  await accessible(page)

  // U, E and undo, H.
  await page.keyboard.press('j')
  await expect(lines.first().getByRole('link')).toBeFocused()
  await page.keyboard.press('u')
  await expect(link).toHaveText(/2$/)
  await page.keyboard.press('e')
  await expect(lines).toHaveCount(1)
  await expect(lines.first().getByRole('link')).toBeFocused()
  await page.keyboard.press('Control+z')
  await expect(lines).toHaveCount(2)
  await page.keyboard.press('h')
  await page.getByRole('menuitem', { name: /Tomorrow morning/ }).click()
  await expect(lines).toHaveCount(1)
  await page.getByRole('button', { name: 'Later', exact: true }).click()
  await expect(lines).toHaveCount(1)
  await page.getByRole('button', { name: 'All', exact: true }).click()

  // Opened beside the list it is read.
  await lines.first().getByRole('link').click()
  await expect(page.getByRole('complementary')).toBeVisible()
  await expect(link).toHaveText('Inbox')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'All done' }).click()
  await expect(page.getByText('Nothing needs you.')).toBeVisible()
  await accessible(page)
})

browse('a task that one does not watch says nothing more', async (scene) => {
  const { as, team, ask } = scene
  const [task] = await seedTasks(scene, 1)
  const comments = `POST /api/v1/tasks/${task?.id}/comments`
  await ask('member', comments, { body: 'Mine' })
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
  const watch = page.getByRole('button', { name: 'Watch' })
  await expect(watch).toHaveAttribute('aria-pressed', 'true')
  await watch.click()
  await expect(watch).toHaveAttribute('aria-pressed', 'false')
  await ask('owner', comments, { body: 'Not for you' })
  await expect(page.getByText('Not for you')).toBeVisible()
  const inbox = page.getByRole('link', { name: /^Inbox/ }).first()
  await expect(inbox).toHaveText('Inbox')
  await inbox.click()
  await expect(page.getByText('Nothing needs you.')).toBeVisible()
})

browse('how one is told is chosen for each kind', async ({ as, team }) => {
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/settings/profile`)
  const region = page.getByRole('region', { name: 'Notifications' })
  const box = region.getByRole('checkbox', { name: 'Somebody names you: In the inbox' })
  await expect(box).toBeChecked()
  const saved = page.waitForResponse(/notification-settings$/)
  await box.click()
  await saved
  await expect(box).not.toBeChecked()
  await expect(region).toContainText('This Docket sends no mail')
  await accessible(page)
  await page.reload()
  await expect(box).not.toBeChecked()
})
