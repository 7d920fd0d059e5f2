import assert from 'node:assert/strict'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdUndo } from '../support/keyboard/press-undo.ts'
import { openScreen } from '../support/open-screen.ts'
import { refuseRequest, routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'

browserTest('creates a project after its prefix was refused', async ({ as, team, ask, allow }) => {
  allow(409)
  await seedTasks({ ask, team }, 4)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/projects`)
  await expect(page.getByRole('row', { name: /^ENG/ })).toContainText('1 of 4')
  await page.getByRole('button', { name: 'New project' }).click()
  const dialog = page.getByRole('dialog', { name: 'New project' })
  await dialog.getByLabel('Name').fill('Mobile app')
  await expect(dialog.getByLabel('Prefix')).toHaveValue('MOB')
  await dialog.getByLabel('Prefix').fill('eng')
  await dialog.getByRole('button', { name: 'Create project' }).click()
  await expect(
    dialog.getByText(/Another project has the prefix ENG, or had it before/),
  ).toBeVisible()
  await expect(dialog.getByLabel('Name')).toHaveValue('Mobile app')
  await dialog.getByLabel('Prefix').fill('APP')
  await dialog.getByLabel('Statuses').selectOption('simple')
  await dialog.getByRole('button', { name: 'Create project' }).click()
  await page.waitForURL('**/p/APP')
})

browserTest(
  'an admin changes the prefix and lead of a project, and the lead archives it',
  async (fixture) => {
    const { as, team } = fixture
    // Creating a project does not make its creator the lead: admins choose the lead.
    const adminPage = await as('admin')
    await adminPage.goto(`/w/${team.workspace}/p/ENG/settings`)
    await adminPage.getByLabel('Prefix').fill('MOB')
    await expect(adminPage.getByText(/searches with ENG-1 keep working/)).toBeVisible()
    await adminPage.getByLabel('Lead').selectOption({ label: 'The member' })
    await adminPage.getByRole('button', { name: 'Save' }).click()
    await adminPage.waitForURL('**/p/MOB/settings')
    const page = await as('member')
    await page.goto(`/w/${team.workspace}/p/MOB/settings`)
    await page.getByRole('button', { name: 'Archive project' }).click()
    await expect(page.getByText('Archived Engineering')).toBeVisible()
    await openScreen(page, `/w/${team.workspace}/projects`)
    await page.getByRole('button', { name: 'Archived' }).click()
    await page.getByLabel('Search projects').fill('mob')
    await expect(page.getByRole('row', { name: /^MOB/ })).toBeVisible()
    await page.getByLabel('Search projects').fill('none such')
    await page.getByRole('button', { name: 'Clear search' }).click()
    await expect(page.getByRole('row', { name: /^MOB/ })).toBeVisible()
  },
)

browserTest('says who loses which tasks before a project becomes private', async (fixture) => {
  const { as, team } = fixture
  const assignee_ids = [team.people.member.id]
  await seedTasks(fixture, 3, (n) => ({
    title: `Errand ${n + 1}`,
    assignee_ids,
    ...(n === 0 && { status: 'done' }),
  }))
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/p/ENG/settings`)
  const visibility = page.getByLabel('Visible to')
  await visibility.selectOption({ label: 'Only project members' })
  await expect(visibility).toHaveAccessibleDescription(
    /It will be hidden from The member \(2 open tasks\)\.$/,
  )
  // Who leads a project keeps seeing it.
  await page.getByLabel('Lead').selectOption({ label: 'The member' })
  await expect(visibility).toHaveAccessibleDescription(/owners and admins will see it\.$/)
  await page.getByRole('button', { name: 'Save' }).click()
  const navigation = page.getByRole('navigation', { name: 'Main', exact: true })
  await expect(navigation.getByRole('link', { name: /^ENG/ })).toHaveAccessibleName(/private/)
})

browserTest('does not say that a list is live while the device is offline', async (fixture) => {
  const { as, team, allow } = fixture
  // The page may still be preloading other screens.
  allow(/ERR_INTERNET_DISCONNECTED/)
  await seedTasks(fixture, 1)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  const live = page.getByText(/^Live(,|$)/)
  await expect(live).toBeVisible()
  await page.context().setOffline(true)
  await expect(page.getByText('You are offline')).toBeVisible()
  await expect(live).toBeHidden()
  await page.context().setOffline(false)
  await expect(live).toBeVisible()
})

browserTest('adds and moves a status, and moves the tasks of a removed one', async (fixture) => {
  const { as, team, ask } = fixture
  const inReview = () => ({ title: 'Look at it', status: 'in_review' })
  const tasks = await seedTasks({ ask, team }, 3, inReview)
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/p/ENG/settings?tab=statuses`)
  const names = () =>
    page
      .getByRole('textbox')
      .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value))
  await page.getByRole('button', { name: 'Add status' }).click()
  await page.getByLabel('Name of New status').fill('Waiting')
  await page.getByLabel('Name of Waiting').press('Alt+ArrowUp')
  await assertAccessible(page)
  const saving = Promise.withResolvers<void>()
  await routeRequests(
    page,
    `**/internal/projects/${team.project}`,
    async (route) => {
      await saving.promise
      await route.fallback()
    },
    { times: 1 },
  )
  await page.getByRole('button', { name: 'Save' }).click()
  // A name that is changed while the others are being saved stays, and is still to be saved.
  await page.getByLabel('Name of Backlog').fill('Ideas')
  saving.resolve()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await expect(page.getByText('Not saved yet')).toBeVisible()
  await expect
    .poll(names)
    .toEqual(['Ideas', 'To do', 'In progress', 'In review', 'Done', 'Waiting', 'Canceled'])
  await page.getByRole('button', { name: 'Remove In review' }).click()
  const dialog = page.getByRole('dialog', { name: 'Move tasks out of In review?' })
  await dialog.getByLabel('Move to').selectOption({ label: 'Waiting' })
  await dialog.getByRole('button', { name: 'Move and remove' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByLabel('Name of In review')).toHaveCount(0)
  const moved = await ask<{ status: string }>('owner', `GET /api/v1/tasks/${tasks[0]?.id}`)
  assert.equal(moved.status, 'waiting')
  const project = await ask<{ statuses: { key: string }[] }>(
    'owner',
    `GET /api/v1/projects/${team.project}`,
  )
  assert.ok(!project.statuses.some(({ key }) => key === 'in_review'))
})

browserTest('recolours a tag, merges it with another, and undoes its deletion', async (fixture) => {
  const { as, team, ask, allow } = fixture
  allow(409)
  const tags = `POST /api/v1/projects/${team.project}/tags`
  const infra = await ask<{ id: string }>('owner', tags, { name: 'infra' })
  const ops = await ask<{ id: string }>('owner', tags, { name: 'ops' })
  const [task] = await seedTasks({ ask, team }, 1, () => ({ title: 'Disks', tag_ids: [ops.id] }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/p/ENG/settings?tab=tags`)
  await page.getByLabel('Color of infra').selectOption({ label: 'Teal' })
  const name = page.getByLabel('Rename ops')
  await name.fill('Infra')
  await name.press('Enter')
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Merge ops into infra' }).click()
  await page.getByRole('button', { name: 'Merge 1 task' }).click()
  await expect(page.getByText('Merged ops into infra')).toBeVisible()
  await expect(page.getByLabel('Rename ops')).toHaveCount(0)
  const now = await ask<{ tag_ids: string[] }>('owner', `GET /api/v1/tasks/${task?.id}`)
  assert.deepEqual(now.tag_ids, [infra.id])
  await page.getByRole('button', { name: 'Delete infra' }).click()
  await expect(page.getByText('No tags yet.')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).first().click()
  await expect(page.getByLabel('Rename infra')).toBeVisible()
})

browserTest(
  'a deleted tag stays hidden, and is deleted when its Undo message is dismissed',
  async (fixture) => {
    const { as, team, ask, allow } = fixture
    allow(403)
    await ask('owner', `POST /api/v1/projects/${team.project}/tags`, { name: 'infra' })
    const page = await as('member')
    let canRead = false
    await page.route('**/tags?*', (route) => (canRead ? route.fallback() : refuseRequest(route)))
    await page.goto(`/w/${team.workspace}/p/ENG/settings?tab=tags`)
    // Tags that could not be read are not called none.
    await expect(page.getByText('Not now.')).toBeVisible()
    await expect(page.getByText('No tags yet.')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
    // The page may try again by itself, and then there is no button to press.
    canRead = true
    await page.reload()
    await page.getByRole('button', { name: 'Delete infra' }).click()
    await holdUndo(page)
    // By keys, since the pointer keeps the message.
    await page.getByRole('link', { name: 'People', exact: true }).press('Enter')
    await page.getByRole('link', { name: 'Tags', exact: true }).press('Enter')
    await expect(page.getByText('No tags yet.')).toBeVisible()
    await page.getByRole('button', { name: 'Dismiss' }).last().click()
    const tagsPath = `GET /api/v1/projects/${team.project}/tags`
    await expect.poll(async () => (await ask<{ data: [] }>('owner', tagsPath)).data.length).toBe(0)

    // What a dismissed message has told can be read again.
    await page.getByRole('button', { name: 'Account of The member' }).click()
    await page.getByRole('menuitem', { name: 'Recent changes' }).click()
    const history = page.getByRole('dialog', { name: 'Recent changes' })
    await expect(history.getByText('infra')).toBeVisible()
    await assertAccessible(page, { within: OPEN_DIALOG })
  },
)

browserTest('offers as assignees and lead only those who see the project', async (fixture) => {
  const { as, ask, team } = fixture
  await ask('owner', 'POST /api/v1/tasks', { project_id: team.hidden, title: 'Secret' })
  const page = await as('owner')
  const listRead = page.waitForResponse((response) => response.url().includes('/people'))
  await page.goto(`/w/${team.workspace}/p/HID`)
  await listRead
  await expect(page.locator('.head .whos .who')).toHaveCount(2)
  const people = page.getByRole('option', { name: /^.*The / })
  const seeing = [/The owner/, /The admin/]
  await page.getByText('Secret', { exact: true }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('a')
  await expect(people).toHaveText(seeing)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Assignees: / }).click()
  await expect(people).toHaveText(seeing)
  await page.goto(`/w/${team.workspace}/p/HID/settings`)
  const lead = page.getByLabel('Lead').locator('option')
  await expect(lead).toHaveText(['No one', ...seeing])
})

browserTest(
  'adds a guest to a project, who loses access when removed',
  async ({ as, team, allow }) => {
    allow(404)
    const owner = await as('owner')
    await owner.goto(`/w/${team.workspace}/p/HID/settings?tab=people`)
    await expect(owner.locator('.views [aria-current]')).toHaveText(['People'])
    await owner.getByRole('button', { name: 'Add people' }).click()
    await owner.getByRole('option', { name: /The guest/ }).click()
    await owner.keyboard.press('Escape')
    await expect(owner.getByRole('button', { name: 'Remove The guest' })).toBeVisible()
    await assertAccessible(owner)
    const guest = await as('guest')
    await guest.goto(`/w/${team.workspace}/p/HID/settings?tab=people`)
    await expect(
      guest.getByRole('paragraph').filter({ hasText: 'Only owners, admins' }),
    ).toBeVisible()
    await owner.getByRole('button', { name: 'Remove The guest' }).click()
    await expect(owner.getByText('Removed The guest')).toBeVisible()
    await expect(guest.getByText('Project HID not found.')).toBeVisible()
  },
)

browserTest('settings that are open in two places do not revert each other', async (fixture) => {
  const { as, team, ask, allow } = fixture
  allow(412)
  const read = () =>
    ask<{ name: string; description: string; lead_id: string | null }>(
      'owner',
      `GET /api/v1/projects/${team.project}`,
    )
  const [owner, admin] = [await as('owner'), await as('admin')]
  for (const page of [owner, admin]) {
    await page.goto(`/w/${team.workspace}/p/ENG/settings`)
    await page.getByLabel('Name').fill('Work')
    await page.getByLabel('Name').fill('Engineering')
  }
  await admin.getByLabel('Name').fill('Platform')
  await admin.getByLabel('Lead').selectOption({ label: 'The member' })
  await admin.getByRole('button', { name: 'Save' }).click()
  await expect(admin.getByText('Saved', { exact: true })).toBeVisible()
  // The owner's page has heard of the new name.
  await expect(owner.getByRole('heading', { level: 1, name: /^Platform/ })).toBeVisible()
  await owner.getByLabel('Description').fill('All of it')
  await owner.getByRole('button', { name: 'Save' }).click()
  await expect(owner.getByText('Saved', { exact: true })).toBeVisible()
  const { name, description, lead_id } = await read()
  assert.deepEqual([name, description, lead_id], ['Platform', 'All of it', team.people.member.id])
  await expect(owner.getByLabel('Name')).toHaveValue('Platform')

  // The page cannot have heard of a rename that happens while its own is on its way.
  await routeRequests(
    owner,
    `**/internal/projects/${team.project}`,
    async (route) => {
      await admin.getByLabel('Name').fill('Base')
      await admin.getByRole('button', { name: 'Save' }).click()
      await expect.poll(async () => (await read()).name).toBe('Base')
      await route.continue()
    },
    { times: 1 },
  )
  await owner.getByLabel('Name').fill('Core')
  await owner.getByRole('button', { name: 'Save' }).click()
  await expect(owner.getByText(/^Someone else changed this in the meantime/)).toBeVisible()
  await expect(owner.getByLabel('Name')).toHaveValue('Core')
  assert.equal((await read()).name, 'Base')
  await assertAccessible(owner)
  await owner.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await read()).name).toBe('Core')
})

browserTest('a status that somebody else adds is not removed by a save', async (fixture) => {
  const { as, team, ask, allow } = fixture
  allow(412)
  const [owner, admin] = [await as('owner'), await as('admin')]
  for (const page of [owner, admin])
    await page.goto(`/w/${team.workspace}/p/ENG/settings?tab=statuses`)
  await owner.getByLabel('Name of To do').fill('Open')
  await admin.getByRole('button', { name: 'Add status' }).click()
  await admin.getByLabel('Name of New status').fill('Waiting')
  await admin.getByRole('button', { name: 'Save' }).click()
  await expect(admin.getByText('Saved', { exact: true })).toBeVisible()
  await owner.getByRole('button', { name: 'Save' }).click()
  await expect(owner.getByText(/^Someone else changed this in the meantime/)).toBeVisible()
  await owner.getByRole('button', { name: 'Discard' }).click()
  await owner.getByLabel('Name of Waiting').waitFor()
  await owner.getByLabel('Name of To do').fill('Open')
  await owner.getByRole('button', { name: 'Save' }).click()
  await expect(owner.getByText('Saved', { exact: true })).toBeVisible()
  const { statuses } = await ask<{ statuses: { name: string }[] }>(
    'owner',
    `GET /api/v1/projects/${team.project}`,
  )
  const names = statuses.map(({ name }) => name)
  assert.ok(names.includes('Open') && names.includes('Waiting'))
})
