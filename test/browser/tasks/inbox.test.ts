import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { CONNECTION_ERRORS, pressSequence, pressUndo } from '../support/page-actions.ts'
import { holdRequests, routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

browserTest('a mention reaches the inbox, and is handled by keyboard', async (fixture) => {
  const { openAs, team, ask, allow } = fixture
  allow(CONNECTION_ERRORS)
  const { member } = team.people
  const [task, other] = await seedTasks(fixture, 2, (n) => ({ title: `Errand ${n + 1}` }))
  const comments = `POST /api/v1/tasks/${task?.id}/comments`
  const page = await openAs('member', 'my')
  const navigation = page.getByRole('navigation', { name: 'Main', exact: true })
  const link = navigation.getByRole('link', { name: /^Inbox/ })
  await expect(link).toHaveText('Inbox')

  // The person is mentioned while another screen is open.
  await ask('owner', comments, { body: `Could **you** look, <@${member.id}>?` })
  await expect(link).toHaveText(/1$/)
  await pressSequence(page, 'gi')
  await expect(page).toHaveURL(/\/inbox$/)
  const notifications = page.getByRole('list', { name: 'Notifications' }).getByRole('listitem')
  await expect(notifications).toHaveCount(1)
  await expect(notifications).toContainText('Errand 1')
  await expect(notifications).toContainText('The owner mentioned you Could you look, @The member?')

  // New notifications appear without a reload, one line for each task.
  await ask('owner', comments, { body: 'Please' })
  await expect(notifications).toContainText('and 1 more')
  const assigned = { assignee_ids: [member.id] }
  await ask('owner', `PATCH /api/v1/tasks/${other?.id}`, assigned)
  await expect(notifications).toHaveCount(2)
  await expect(notifications.first()).toContainText('The owner assigned you')
  await expect(link).toHaveText(/2$/)
  await assertAccessible(page)

  // The shortcuts for unread, done, undo and later.
  await page.keyboard.press('j')
  await expect(notifications.first().getByRole('link')).toBeFocused()
  await page.keyboard.press('u')
  await expect(link).toHaveText(/1$/)
  await page.keyboard.press('e')
  await expect(notifications).toHaveCount(1)
  await expect(notifications.first().getByRole('link')).toBeFocused()
  await pressUndo(page)
  await expect(notifications).toHaveCount(2)
  await page.keyboard.press('h')
  await page.getByRole('menuitem', { name: /Tomorrow morning/ }).click()
  await expect(notifications).toHaveCount(1)
  await expect(notifications.first().getByRole('link')).toBeFocused()
  await page.getByRole('button', { name: 'Snoozed', exact: true }).click()
  await expect(notifications).toHaveCount(1)
  await page.getByRole('button', { name: 'All', exact: true }).click()

  // Opening it in the panel marks it as read.
  await notifications.first().getByRole('link').click()
  await expect(page.getByRole('complementary')).toBeVisible()
  await expect(link).toHaveText('Inbox')
  await page.keyboard.press('Escape')
  // A mark is shown at once, and sent when the network is back.
  await page.context().setOffline(true)
  await expect(page.getByText('You are offline')).toBeVisible()
  await page.getByRole('button', { name: 'Mark all as done' }).press('Enter')
  await expect(page.getByText('You are all caught up.')).toBeVisible()
  await expect(page.getByText('You are offline. 1 change will be sent')).toBeVisible()
  await page.context().setOffline(false)
  await expect(page.getByText('You are offline')).toBeHidden()
  await page.reload()
  await expect(page.getByText('You are all caught up.')).toBeVisible()
})

browserTest('the numbers beside My work and Inbox follow what others do', async (fixture) => {
  const { openAs, team, ask } = fixture
  const task = await ask<{ id: string }>('admin', 'POST /api/v1/tasks', {
    project_id: team.hidden,
    title: 'Errand',
    due_date: '2020-01-01',
  })
  // A page that holds the tasks of another project.
  const page = await openAs('owner', 'p/ENG')
  await page.getByText('Live').waitFor()
  const navigation = page.getByRole('navigation', { name: 'Main', exact: true })
  const myWork = navigation.getByRole('link', { name: /^My work/ })
  const inbox = navigation.getByRole('link', { name: /^Inbox/ })
  const expectNumbers = async (overdue: string, unread: string) => {
    await expect(myWork).toHaveText(`My work${overdue}`)
    await expect(inbox).toHaveText(`Inbox${unread}`)
  }
  await expectNumbers('', '')
  // They are in the boot data, which need not be read again.
  const release = await holdRequests(page, '**/internal/boot')
  const path = `/api/v1/tasks/${task.id}`
  await ask('admin', `PATCH ${path}`, { assignee_ids: [team.people.owner.id] })
  await expectNumbers('1', '1')
  await ask('admin', `PATCH ${path}`, { due_date: '2999-01-01' })
  await expectNumbers('', '1')
  await ask('admin', `PATCH ${path}`, { due_date: '2020-01-01' })
  await expectNumbers('1', '1')
  await ask('admin', `DELETE ${path}`)
  await expectNumbers('', '')
  await ask('admin', `POST ${path}/restore`)
  await expectNumbers('1', '1')
  release()
})

browserTest(
  'a late reply with boot data reverts nothing that others have done since',
  async (fixture) => {
    const { as, openAs, team, ask, docket } = fixture
    const task = await ask<{ id: string }>('admin', 'POST /api/v1/tasks', {
      project_id: team.hidden,
      title: 'Errand',
      due_date: '2020-01-01',
    })
    const page = await openAs('owner', 'p/ENG')
    await page.getByText('Live').waitFor()
    const navigation = page.getByRole('navigation', { name: 'Main', exact: true })
    const myWork = navigation.getByRole('link', { name: /^My work/ })
    const [read, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await routeRequests(page, '**/internal/boot', async (route) => {
      const response = await route.fetch()
      const { projects }: { projects: { prefix: string }[] } = await response.json()
      if (projects.some(({ prefix }) => prefix === 'OTH')) read.resolve()
      await gate.promise
      await route.fulfill({ response })
    })
    // A project that it does not know lets the page ask for boot data.
    const { request } = await as('admin')
    const data = { name: 'Other', prefix: 'OTH' }
    await request.post('/internal/projects', { headers: { origin: docket.url }, data })
    await read.promise
    const assigned = { assignee_ids: [team.people.owner.id] }
    await ask('admin', `PATCH /api/v1/tasks/${task.id}`, assigned)
    await expect(myWork).toHaveText('My work1')
    gate.resolve()
    await expect(navigation.getByRole('link', { name: 'Other' })).toBeVisible()
    await expect(myWork).toHaveText('My work1')
  },
)

browserTest('a watch that could not be set outlives a reload', async (fixture) => {
  const { as, team, ask, allow } = fixture
  const [task] = await seedTasks(fixture, 1)
  const comments = `POST /api/v1/tasks/${task?.id}/comments`
  await ask('member', comments, { body: 'Mine' })
  const page = await as('member')
  allow(CONNECTION_ERRORS)
  page.on('dialog', (dialog) => dialog.accept())
  let isCut = true
  await page.route('**/watch', (route) =>
    isCut && route.request().method() === 'PATCH' ? route.abort() : route.fallback(),
  )
  await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
  const watch = page.getByRole('button', { name: 'Watch' })
  await expect(watch).toHaveAttribute('aria-pressed', 'true')
  await watch.click()
  await expect(watch).toHaveAttribute('aria-pressed', 'false')
  await expect.poll(() => countStoredMutations(page)).toBe(1)
  await page.reload()
  await expect(watch).toHaveAttribute('aria-pressed', 'false')
  isCut = false
  await page.reload()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  await ask('owner', comments, { body: 'Not for you' })
  await expect(page.getByText('Not for you')).toBeVisible()
  const inbox = page.getByRole('link', { name: /^Inbox/ }).first()
  await expect(inbox).toHaveText('Inbox')
  await inbox.click()
  await expect(page.getByText('You are all caught up.')).toBeVisible()
})
