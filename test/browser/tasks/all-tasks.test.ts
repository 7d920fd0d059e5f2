import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { waitForCopies } from '../support/copies.ts'
import { holdUndo, press, pressUndo, typeInFocusedField } from '../support/page-actions.ts'
import { routeRequests } from '../support/route-requests.ts'
import { archiveOpenProject, seedTasks } from '../support/seed.ts'

const rows = (page: Page) => page.locator('[data-task]')
const rowOf = (page: Page, title: string) =>
  rows(page).filter({ has: page.getByText(title, { exact: true }) })
const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Four tasks, two in Engineering and two in Hidden, which the owner alone sees; all "To do". */
async function seedTwoProjects({ ask, team }: BrowserFixture) {
  const projects = [team.project, team.project, team.hidden, team.hidden] as const
  const [tag, sameName] = await Promise.all(
    [team.project, team.hidden].map((id) =>
      ask<{ id: string }>('owner', `POST /api/v1/projects/${id}/tags`, { name: 'Bug' }),
    ),
  )
  return seedTasks({ ask, team }, 4, (n) => ({
    title: `Task ${n + 1}`,
    status: 'todo',
    project_id: projects[n],
    ...(n === 0 && { tag_ids: [tag?.id] }),
    ...(n === 2 && { tag_ids: [sameName?.id] }),
  }))
}

const readStatus = async ({ ask }: BrowserFixture, id: string | undefined) =>
  (await ask<{ status: string }>('owner', `GET /api/v1/tasks/${id}`)).status

browserTest(
  'lists the open tasks of all projects, filtered and grouped by project',
  async (fixture) => {
    const { openAs, ask } = fixture
    const [first] = await seedTwoProjects(fixture)
    const page = await openAs('owner', 'all')
    await expect(rows(page)).toHaveCount(4)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('All tasks')
    await expect(rowOf(page, 'Task 1')).toContainText('ENG-1')
    await expect(rowOf(page, 'Task 3')).toContainText('HID-1')
    // Tags of the same name are one value, whatever their project.
    await page.keyboard.press('/')
    await page.getByRole('combobox').fill('tag:bug')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/f=tag%3A/)
    await expect(rows(page)).toHaveCount(2)
    await expect(rowOf(page, 'Task 3')).toBeVisible()
    await page.keyboard.press('/')
    await page.getByRole('combobox').fill('project:HID')
    await page.keyboard.press('Enter')
    await expect(rows(page)).toHaveCount(1)
    await page.reload()
    await expect(rowOf(page, 'Task 3')).toBeVisible()
    await expect(rows(page)).toHaveCount(1)
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await expect(rows(page)).toHaveCount(4)

    await page.getByRole('button', { name: 'Group Status' }).click()
    await page.getByRole('menu').getByText('Project', { exact: true }).click()
    await expect(page).toHaveURL(/group=project/)
    await expect(page.getByRole('rowgroup', { name: 'Hidden' }).locator('[data-task]')).toHaveCount(
      2,
    )
    await assertAccessible(page)

    // A task that somebody else has completed leaves the list.
    await ask('admin', `POST /api/v1/tasks/${first?.id}/complete`)
    await expect(rowOf(page, 'Task 1')).toHaveCount(0)
    await expect(rows(page)).toHaveCount(3)
  },
)

browserTest('shows the own avatar unless all tasks of the view are one’s own', async (fixture) => {
  const { openAs, team } = fixture
  const { owner, member } = team.people
  await seedTasks(fixture, 2, (n) => ({
    title: `Task ${n + 1}`,
    assignee_ids: n === 0 ? [owner.id] : [owner.id, member.id],
  }))
  const page = await openAs('owner', 'all')
  const avatarsOf = (title: string) =>
    page.locator('[data-task]', { hasText: title }).locator('.whos')
  await expect(avatarsOf('Task 1')).toHaveText('The owner')
  for (const view of ['f=assignee:me', 'f=assignee:"The owner"', 'f=assignee:me&view=board']) {
    await page.goto(`/w/${team.workspace}/all?${encodeURI(view)}`)
    await expect(avatarsOf('Task 2')).toHaveText('The member')
    await expect(avatarsOf('Task 1')).toHaveCount(0)
  }
  await page.goto(`/w/${team.workspace}/all?f=assignee:me,none`)
  await expect(avatarsOf('Task 1')).toHaveText('The owner')
})

browserTest(
  'knows finished blockers and parents, and counts only its own tasks',
  async (fixture) => {
    const { openAs, ask } = fixture
    const [parent] = await seedTasks(fixture, 1, () => ({ title: 'Parent', status: 'done' }))
    const blockers = await seedTasks(fixture, 2, (n) => ({
      title: `Blocker ${n + 1}`,
      status: 'todo',
    }))
    await ask('admin', `POST /api/v1/tasks/${blockers[0]?.id}/complete`)
    await seedTasks(fixture, 2, (n) => ({
      title: `Blocked ${n + 1}`,
      status: 'todo',
      blocked_by_ids: [blockers[n]?.id],
      ...(n === 0 && { parent_id: parent?.id }),
    }))
    const page = await openAs('member', 'all?f=blocked:no')
    await expect(rowOf(page, 'Blocked 1')).toBeVisible()
    await expect(rowOf(page, 'Blocked 1').locator('.blocked')).toHaveCount(0)
    await expect(rows(page)).toHaveCount(2)
    // The finished blocker and the finished parent are held as well, but are not of the page.
    await expect(page.getByText('2 of 3', { exact: true })).toBeVisible()
    // The page loses a blocker that somebody else finishes.
    await ask('admin', `POST /api/v1/tasks/${blockers[1]?.id}/complete`)
    await expect(rowOf(page, 'Blocked 2')).toBeVisible()
    await expect(page.getByText('2 of 2', { exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Clear filter' }).click()
    await page.getByRole('button', { name: 'Group Status' }).click()
    await page.getByRole('menu').getByText('Parent task', { exact: true }).click()
    await expect(
      page.getByRole('rowgroup', { name: `${parent?.short_id} Parent` }).locator('[data-task]'),
    ).toHaveCount(1)
  },
)

browserTest('a new task asks for its project, unless its group is one', async (fixture) => {
  const { openAs, team } = fixture
  await seedTwoProjects(fixture)
  const page = await openAs('owner', 'all')
  await rowOf(page, 'Task 1').focus()
  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog', { name: 'New task' })
  await expect(dialog.getByLabel('Project')).toBeVisible()
  await dialog.getByLabel('Project').selectOption(team.hidden)
  await dialog.getByRole('combobox', { name: 'Title' }).fill('Asked for')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(dialog).toBeHidden()
  await expect(rowOf(page, 'Asked for')).toContainText('HID-3')

  await page.goto(`/w/${team.workspace}/all?group=project`)
  await rowOf(page, 'Task 4').focus()
  await page.keyboard.press('n')
  await typeInFocusedField(page, 'Not asked for')
  await page.keyboard.press('Enter')
  await expect(rowOf(page, 'Not asked for')).toContainText('HID-4')

  // A button takes the line, with its text, to another project.
  await typeInFocusedField(page, 'Elsewhere !high')
  await page.locator('.value-buttons').getByRole('button', { name: 'Project' }).click()
  await page.getByRole('option', { name: 'Engineering' }).click()
  const line = page.getByRole('combobox', { name: 'New task in Engineering' })
  await expect(line).toBeFocused()
  await expect(line).toHaveValue('Elsewhere !high')
  await page.keyboard.press('Enter')
  await expect(rowOf(page, 'Elsewhere')).toContainText('ENG-3')
})

browserTest('a card of any project changes its status on the board', async (fixture) => {
  const tasks = await seedTwoProjects(fixture)
  const page = await fixture.openAs('owner', 'all?view=board')
  const card = column(page, 'To do').locator('[data-task]').filter({ hasText: 'Task 3' })
  await card.waitFor()
  const to = await column(page, 'In progress').boundingBox()
  await card.hover({ position: { x: 120, y: 14 } })
  await page.mouse.down()
  await page.mouse.move((to?.x ?? 0) + 60, (to?.y ?? 0) + 120, { steps: 6 })
  await page.mouse.up()
  await expect(column(page, 'In progress').getByText('Task 3')).toBeVisible()
  await expect.poll(() => readStatus(fixture, tasks[2]?.id)).toBe('in_progress')
  await page.reload()
  await expect(column(page, 'In progress').getByText('Task 3')).toBeVisible()
})

browserTest(
  'changes selected tasks of two projects, and undoes it in one step',
  async (fixture) => {
    const tasks = await seedTwoProjects(fixture)
    const page = await fixture.openAs('owner', 'all')
    await rowOf(page, 'Task 1').focus()
    await press(page, 'ControlOrMeta+a', 's')
    await page.getByRole('dialog').waitFor()
    await typeInFocusedField(page, 'In prog')
    await page.keyboard.press('Enter')
    await expect(page.getByText('Moved 4 tasks to In progress')).toBeVisible()
    await holdUndo(page)
    const statuses = () => Promise.all(tasks.map(({ id }) => readStatus(fixture, id)))
    await expect.poll(statuses).toEqual(tasks.map(() => 'in_progress'))
    await expect(page.getByRole('rowgroup', { name: 'To do' })).toBeHidden()
    await pressUndo(page)
    await expect.poll(statuses).toEqual(tasks.map(() => 'todo'))
    await expect(page.getByRole('rowgroup', { name: 'To do' }).locator('[data-task]')).toHaveCount(
      4,
    )
  },
)

browserTest('finished tasks come page by page', async (fixture) => {
  await seedTasks(fixture, 105, (n) => ({
    title: `Task ${n + 1}`,
    status: n < 2 ? 'todo' : 'done',
  }))
  const page = await fixture.openAs('member', 'all?f=status:done')
  await expect(page.getByText('tasks, 0 open')).toBeVisible()
  const count = page.locator('footer.status .gut')
  await expect(count).toHaveText('100')
  const more = page.getByRole('button', { name: 'Show more' })
  await more.click()
  await expect(count).toHaveText('103')
  await expect(more).toHaveCount(0)
})

browserTest('a guest sees only the tasks of shared projects', async (fixture) => {
  await seedTwoProjects(fixture)
  const page = await fixture.openAs('guest', 'all')
  await expect(rows(page)).toHaveCount(2)
  await expect(rowOf(page, 'Task 2')).toBeVisible()
  await page.goto(`${page.url()}?f=project:HID`)
  await expect(page.getByText(/HID/).first()).toBeVisible()
  await expect(rows(page)).toHaveCount(0)
})

browserTest('has the tasks of a project again once it is unarchived', async (fixture) => {
  const { as, team } = fixture
  await seedTwoProjects(fixture)
  await archiveOpenProject(fixture)
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/all`)
  await expect(rows(page)).toHaveCount(2)
  const status = await page.evaluate(
    async (address) => (await fetch(address, { method: 'POST' })).status,
    `/internal/projects/${team.project}/unarchive`,
  )
  assert.equal(status, 200)
  await expect(rows(page)).toHaveCount(4)
  await page.reload()
  await expect(rows(page)).toHaveCount(4)
})

browserTest('names the projects that are left out also after a reload', async (fixture) => {
  const { as, team } = fixture
  await seedTwoProjects(fixture)
  const page = await as('owner')
  let reads = 0
  // As if both projects together had more than 50,000 tasks.
  await routeRequests(page, '**/internal/open-tasks', async (route) => {
    reads += 1
    const response = await route.fetch()
    const [head = '', ...lines] = (await response.text()).split('\n')
    const omitted = JSON.stringify({ ...JSON.parse(head), omitted_project_ids: [team.hidden] })
    await route.fulfill({ response, body: [omitted, ...lines].join('\n') })
  })
  await page.goto(`/w/${team.workspace}/all`)
  const notice = page.getByText('Too many open tasks to show those of HID here.')
  await expect(notice).toBeVisible()
  await expect(rows(page)).toHaveCount(2)
  await waitForCopies(page, [/ tasks open$/])
  await page.reload()
  await expect(notice).toBeVisible()
  await expect(rows(page)).toHaveCount(2)
  assert.equal(reads, 1)
})
