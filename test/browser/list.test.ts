import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { accessible } from './support/axe.ts'
import { browse, type Scene } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { dayFrom, seedTasks } from './support/seed.ts'

const rowOf = (page: Page, id: string) =>
  page.getByRole('row').filter({ has: page.getByText(id, { exact: true }) })
const group = (page: Page, name: string) => page.getByRole('rowgroup', { name, exact: true })
const open = async (page: Page, { team }: Pick<Scene, 'team'>, search = '') => {
  await page.goto(`/w/${team.workspace}/p/ENG${search}`)
  await page.getByRole('grid').waitFor()
}
const one = (status: string) => (n: number) => ({ title: `Task ${n + 1}`, status })

browse('a list is groups with their sums, worked through by keyboard alone', async (scene) => {
  const { as, ask, team } = scene
  await seedTasks(scene, 6, (n) => ({
    ...one(n < 4 ? 'todo' : 'in_progress')(n),
    ...(n === 0 && { estimate_seconds: 7_200, due_date: dayFrom(-2) }),
  }))
  const page = await as('member')
  await open(page, scene)
  const grid = page.getByRole('grid')
  await expect(grid).toHaveAttribute('aria-rowcount', '9')
  await expect(group(page, 'Todo').getByRole('row').first()).toContainText('0:00 / 2:00')
  await expect(page.getByText('0 % done, 1 overdue')).toBeVisible()
  await expect(page.getByText(/tasks, 6 open/)).toBeVisible()
  await accessible(page)

  await page.keyboard.press('j')
  await expect(rowOf(page, 'ENG-1')).toBeFocused()
  await page.keyboard.press('e')
  await page.keyboard.type('First of all')
  await page.keyboard.press('Enter')
  await expect(rowOf(page, 'ENG-1')).toContainText('First of all')
  await expect(rowOf(page, 'ENG-1')).toBeFocused()

  await page.keyboard.press('i')
  await expect(rowOf(page, 'ENG-1').getByTitle('The member')).toBeVisible()
  await page.keyboard.press('p')
  await page.keyboard.type('urg')
  await page.keyboard.press('Enter')
  await expect(rowOf(page, 'ENG-1').getByRole('img', { name: 'Urgent' })).toBeVisible()

  await page.keyboard.press('Alt+ArrowDown')
  const numbers = group(page, 'Todo').locator('[data-number]')
  await expect(numbers.nth(1)).toHaveAttribute('data-number', '1')
  await expect(page.getByText('ENG-1 stands after ENG-2')).toBeAttached()

  await page.keyboard.press('s')
  await page.keyboard.type('In prog')
  await page.keyboard.press('Enter')
  await expect(group(page, 'In progress').getByText('First of all')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+z')
  await expect(group(page, 'Todo').getByText('First of all')).toBeVisible()

  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/task=ENG-1/)
  await expect(page.getByRole('complementary')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page).not.toHaveURL(/task=/)
  await expect(rowOf(page, 'ENG-1')).toBeFocused()
  await expect
    .poll(async () => {
      const page = await ask<{ data: { title: string; priority: string }[] }>(
        'owner',
        `GET /api/v1/projects/${team.project}/tasks?q=ENG-1`,
      )
      return page.data.map(({ title, priority }) => `${title} ${priority}`)
    })
    .toEqual(['First of all urgent'])
})

browse('shows another user’s change without moving the list or the focus', async (scene) => {
  const { as, ask } = scene
  const tasks = await seedTasks(scene, 30, one('todo'))
  const page = await as('member')
  await open(page, scene)
  await expect(page.getByText('Live')).toBeVisible()
  await page.locator('.scroll').evaluate((scroll) => scroll.scrollTo(0, 200))
  await page.getByText('Task 12', { exact: true }).dblclick()
  const field = page.getByRole('textbox', { name: 'Title of ENG-12' })
  await field.fill('Being typed')
  const top = () => field.evaluate((input) => Math.round(input.getBoundingClientRect().top))
  const before = await top()

  const other = tasks[14]
  await ask('owner', `PATCH /api/v1/tasks/${other?.id}`, { title: 'Another way' })
  await expect(page.getByText('Another way')).toBeVisible()
  await expect(rowOf(page, 'ENG-15')).toHaveAttribute('data-live', 'true')
  await ask('owner', `PATCH /api/v1/tasks/${tasks[8]?.id}`, { status: 'done' })
  await expect(rowOf(page, 'ENG-9')).toHaveAttribute('data-s', 'done')
  await expect(field).toBeFocused()
  assert.equal(await top(), before)

  // What was moved goes to its group when nothing is typed any more.
  await field.press('Escape')
  await expect(group(page, 'Todo').getByText('Task 9', { exact: true })).toBeHidden()
})

browse(
  'a deleted task comes back by undo, and a subtask stands under its parent',
  async (scene) => {
    const { as, ask, team } = scene
    const [first, , third] = await seedTasks(scene, 3, one('todo'))
    await ask('owner', `PATCH /api/v1/tasks/${third?.id}`, { parent_id: first?.id })
    const page = await as('member')
    await open(page, scene)
    const numbers = group(page, 'Todo').locator('[data-number]')
    await expect(numbers.nth(1)).toHaveAttribute('data-number', '3')
    await expect(numbers.nth(1)).toHaveAttribute('data-depth', '1')
    await page.getByText('Task 2', { exact: true }).hover()
    await rowOf(page, 'ENG-2').getByRole('checkbox').click()
    await page.getByRole('button', { name: /^Delete/ }).click()
    await expect(page.getByText('Task 2', { exact: true })).toBeHidden()
    await page.getByRole('button', { name: /^Undo/ }).click()
    await expect(page.getByText('Task 2', { exact: true })).toBeVisible()
    const { data } = await ask<{ data: unknown[] }>(
      'owner',
      `GET /api/v1/projects/${team.project}/tasks`,
    )
    assert.equal(data.length, 3)
  },
)

browse('a row is drawn to another place, and into another group', async (scene) => {
  const { as } = scene
  await seedTasks(scene, 6, (n) => one(n < 4 ? 'todo' : 'in_progress')(n))
  const page = await as('member')
  await open(page, scene)
  const handle = (id: string) => page.getByRole('link', { name: id, exact: true })
  const draw = async (from: string, to: string) => {
    const target = await handle(to).boundingBox()
    await handle(from).hover()
    await page.mouse.down()
    await page.mouse.move((target?.x ?? 0) + 5, (target?.y ?? 0) + 4, { steps: 5 })
    await page.mouse.up()
  }
  await handle('ENG-1').waitFor()
  await draw('ENG-4', 'ENG-2')
  const numbers = (name: string) =>
    group(page, name)
      .locator('[data-number]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-number')))
  await expect.poll(() => numbers('Todo')).toEqual(['1', '4', '2', '3'])
  await draw('ENG-2', 'ENG-6')
  await expect.poll(() => numbers('In progress')).toEqual(['5', '2', '6'])
  await page.reload()
  await handle('ENG-1').waitFor()
  await expect.poll(() => numbers('Todo')).toEqual(['1', '4', '3'])
  assert.deepEqual(await numbers('In progress'), ['5', '2', '6'])
})

browse('renders only visible rows and keeps the scroll height exact', async (scene) => {
  const { as } = scene
  await seedTasks(scene, 1_200, one('todo'))
  const page = await as('member')
  await open(page, scene)
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '1202')
  await page.locator('.scroll').evaluate((scroll) => scroll.scrollTo(0, scroll.scrollHeight))
  await expect(page.getByText('Task 1200', { exact: true })).toBeVisible()
  await expect(rowOf(page, 'ENG-1200')).toHaveAttribute('aria-rowindex', '1202')
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
  assert.ok(nodes < 3_000, `${nodes} nodes`)
})

browse('on a phone rows have two lines, and nothing scrolls sideways', async (scene) => {
  await seedTasks(scene, 12)
  const page = await scene.as('guest', { viewport: { width: 360, height: 740 }, hasTouch: true })
  await open(page, scene)
  await expect(page.locator('[data-number]').first()).toHaveCSS('height', '60px')
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.equal(wide, 360)
  await page.getByRole('button', { name: 'Filter and view' }).tap()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Filter/ })
    .tap()
  await page.getByRole('combobox', { name: 'Filter' }).fill('priority:high')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/f=priority/)
})

browse('a project that is not there says so, and an empty one what to do', async (scene) => {
  const page = await scene.as('member')
  await page.goto(`/w/${scene.team.workspace}/p/HID`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('HID')
  await page.goto(`/w/${scene.team.workspace}/p/ENG`)
  await expect(page.getByText('No tasks yet.')).toBeVisible()
  await page.keyboard.press('c')
  await page.keyboard.type('The first')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('link', { name: 'ENG-1', exact: true })).toBeVisible()
})
