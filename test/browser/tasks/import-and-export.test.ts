import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { openScreen } from '../support/page-actions.ts'
import { holdRequests } from '../support/route-requests.ts'

const LINES = Array.from({ length: 60 }, (_, at) => `Step ${at + 1},To do,The member,2026-04-01`)
const OTHERS = ['Odd day,Fertig,,3/4/2026,Someday', 'No day,Fertig,,soon,', ',,,,']
const FILE = ['Aufgaben,Spalte X,Wer,Wann,Wie', ...LINES, ...OTHERS, ',Fertig'].join('\n')

browserTest('maps the columns of a table, imports it and undoes that', async (fixture) => {
  const { openAs, team, ask, list } = fixture
  const page = await openAs('admin', 'settings/import')
  const section = page.getByRole('region', { name: 'Import', exact: true })
  const buffer = Buffer.from(FILE)
  const plan = { name: 'Plan.csv', mimeType: 'text/csv', buffer }
  await section.getByLabel('Choose file').setInputFiles(plan)
  await expect(section.getByText('Plan.csv: 63 rows, 5 columns')).toBeVisible()
  const columns = section.getByRole('table', { name: 'Columns' })
  const questions = section.getByRole('region', { name: 'Questions' })
  const preview = section.getByRole('region', { name: 'Preview' })
  const status = preview.getByRole('status')
  const field = (column: string) => columns.getByLabel(column, { exact: true })
  // The first column has the titles, unless another one is called so.
  await expect(field('Aufgaben')).toHaveValue('title')
  await expect(columns.getByRole('row', { name: 'Wann' })).toContainText('3/4/2026')
  await expect(status).toHaveText('62 tasks ready to import. 1 empty row is skipped.')
  const start = preview.getByRole('button', { name: /^Import \d/ })
  await field('Spalte X').selectOption('status')
  const known = questions.locator('summary')
  await known.click()
  await expect(questions.getByLabel('To do')).toHaveValue('unstarted')
  await field('Wer').selectOption('assignees')
  await expect(questions.getByLabel('The member')).toHaveValue(team.people.member.id)
  await field('Wann').selectOption('due_date')
  const warnings = section.getByRole('region', { name: 'Warnings' })
  await expect(warnings).toContainText(
    'Due date: “soon” is not a date. It is kept in the description.',
  )
  const order = questions.getByRole('combobox', { name: 'Dates' })
  await expect(questions.getByText('Which comes first in 3/4/2026')).toBeVisible()
  await expect(order).toHaveValue('day_first')
  await order.selectOption('month_first')
  await field('Wie').selectOption('priority')
  await questions.getByLabel('Someday').selectOption('urgent')
  await expect(status).toHaveText(
    '62 tasks ready to import. 1 empty row is skipped. 1 row has a warning.',
  )
  await assertAccessible(page)
  const faults = section.getByRole('region', { name: 'Skipped rows' })
  await expect(faults).toContainText('The row has no title')
  for (const [list, name] of [
    [faults, 'Plan.csv.errors.csv'],
    [warnings, 'Plan.csv.warnings.csv'],
  ] as const) {
    const saved = page.waitForEvent('download')
    await list.getByRole('button', { name: 'Download as CSV' }).click()
    assert.equal((await saved).suggestedFilename(), name)
  }

  // The new project is called like the file, unless somebody says otherwise.
  await expect(questions.getByLabel('Project name')).toHaveValue('Plan')
  await questions.getByLabel('Project name').fill('Spring plan')
  // The import starts with what is chosen while earlier choices are saved.
  const release = await holdRequests(page, '**/internal/imports/imp_*', 'PATCH')
  await questions.getByLabel('Someday').selectOption('high')
  await start.click()
  release()
  const result = section.getByRole('region', { name: 'Plan.csv' })
  await expect(result.getByRole('status')).toHaveText('62 tasks imported. 1 row skipped.')
  const projects = () =>
    ask<{ data: { id: string; name: string; prefix: string }[] }>('owner', 'GET /api/v1/projects')
  const { id, prefix } =
    (await projects()).data.find(({ name }) => name === 'Spring plan') ?? assert.fail()
  const tasks = async () =>
    (await list<unknown>(`GET /api/v1/projects/${id}/tasks?limit=200`)).length
  assert.equal(await tasks(), 62)
  const data = await list<object>('GET /api/v1/tasks?q=odd')
  assert.partialDeepStrictEqual(data, [{ due_date: '2026-03-04', priority: 'high' }])
  const open = result.getByRole('link', { name: 'Open Spring plan' })
  await expect(open).toHaveAttribute('href', new RegExp(`/p/${prefix}$`))
  await assertAccessible(page)
  await result.getByRole('button', { name: 'Undo import' }).click()
  await expect(result.getByRole('status')).toHaveText(
    'Import undone. The imported tasks are in the trash.',
  )
  assert.equal(await tasks(), 0)
})

browserTest('imports rows that are pasted or dropped, in German', async (fixture) => {
  const { as, team, list, docket } = fixture
  const page = await as('owner', { locale: 'de-DE' })
  const options = { headers: { origin: docket.url }, data: { locale: 'de' } }
  assert.ok((await page.request.patch(`${docket.url}/internal/account`, options)).ok())
  await page.goto(`/w/${team.workspace}/settings/import`)
  await page.getByRole('button', { name: 'Zeilen einfügen' }).click()
  // Three kinds of dates, and one that is none.
  const days = ['2026-12-10', '10.12.2026', '10 Dec 2026', 'bald']
  const rows = Array.from({ length: 30 }, (_, at) => `Aufgabe ${at}\t${days[at % 4]}`)
  const field = page.getByLabel('Zeilen', { exact: true })
  await expect(field).toBeFocused()
  await field.fill(rows.join('\n'))
  await page.getByRole('button', { name: 'Zeilen verwenden' }).click()
  await expect(page.getByText('Eingefügte Zeilen.csv: 30 Zeilen, 2 Spalten')).toBeVisible()
  await expect(page.getByLabel('Die erste Zeile benennt die Spalten')).not.toBeChecked()
  await page.getByLabel('Spalte 2', { exact: true }).selectOption('due_date')
  await expect(
    page.getByText('Fällig: „bald“ ist kein Datum. Steht in der Beschreibung.').first(),
  ).toBeVisible()
  await page.getByRole('button', { name: '30 Aufgaben importieren' }).click()
  await page.getByRole('link', { name: 'Eingefügte Zeilen öffnen' }).click()
  await expect(page.getByRole('heading', { name: 'Eingefügte Zeilen' })).toBeVisible()
  const data = await list<{ due_date: string | null }>('GET /api/v1/tasks?limit=200&q=aufgabe')
  const counts = [data.length, data.filter(({ due_date }) => due_date === '2026-12-10').length]
  assert.deepEqual(counts, [30, 23])

  // A dropped file is one that was chosen.
  await page.goto(`/w/${team.workspace}/settings/import`)
  const transfer = await page.evaluateHandle(() => {
    const dropped = new DataTransfer()
    dropped.items.add(new File(['Titel\nGezogen'], 'Gezogen.csv'))
    return dropped
  })
  await page.getByText('Datei hier ablegen').dispatchEvent('drop', { dataTransfer: transfer })
  await expect(page.getByText('Gezogen.csv: 1 Zeile, 1 Spalte')).toBeVisible()

  // What is not imported is said before and after.
  const cards = [{ id: 'c', name: 'One', stickers: [{ image: 'heart' }], badges: { votes: 1 } }]
  const board = JSON.stringify({ name: 'Board', cards })
  const file = { name: 'Board.json', mimeType: 'text/plain', buffer: Buffer.from(board) }
  await page.getByLabel('Datei wählen').setInputFiles(file)
  await expect(page.getByText('Nicht importiert: 1 Sticker, 1 Stimme.')).toBeVisible()
})

browserTest('an owner exports an archive, and others see why not', async ({ as, team }) => {
  const place = `/w/${team.workspace}/settings/import`
  const page = await as('owner')
  await page.goto(place)
  const section = page.getByRole('region', { name: 'Export' })
  await section.getByRole('button', { name: 'Create export' }).click()
  const link = section.getByRole('link', { name: /^Download .*\.docket\.tar$/ })
  await expect(link).toBeVisible()
  await assertAccessible(page)
  const saved = page.waitForEvent('download')
  await link.click()
  const { size } = statSync(await (await saved).path())
  assert.ok(size > 10_000, `${size} bytes`)
  const admin = await as('admin')
  await admin.goto(place)
  const off = admin.getByRole('button', { name: 'Create export' })
  await expect(off).toHaveAttribute('title', 'Only owners can export the workspace.')
})

browserTest('importing an exported CSV file creates the same tasks', async (fixture) => {
  const { as, team, ask, list } = fixture
  interface NamedRecord {
    id: string
    [field: string]: unknown
  }
  const post = (body: object) =>
    ask<NamedRecord>('owner', 'POST /api/v1/tasks', { project_id: team.project, ...body })
  const { id: tag } = await ask<NamedRecord>(
    'owner',
    `POST /api/v1/projects/${team.project}/tags`,
    {
      name: 'parser',
    },
  )
  const top = await post({
    title: "'=1+1",
    description: '- one, "two"\n- three',
    priority: 'high',
    tag_ids: [tag],
  })
  const dates = { start_date: '2026-03-01', due_date: '2026-03-31', estimate_seconds: 5_400 }
  const below = await post({
    title: '=SUM(A1)',
    parent_id: top.id,
    assignee_ids: [team.people.member.id],
    ...dates,
  })
  await post({ title: 'Last', status: 'done', blocked_by_ids: [below.id] })

  const page = await as('owner')
  // The download starts before the screen has loaded the names of the tags.
  const release = await holdRequests(page, '**/tags?*')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByRole('button', { name: 'More', exact: true }).first().click()
  const saved = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Download as CSV' }).click()
  release()
  const path = await (await saved).path()
  assert.match(readFileSync(path, 'utf8'), /,''=1\+1,"'- one, ""two""\n'- three",/)

  await openScreen(page, `/w/${team.workspace}/settings/import`)
  const section = page.getByRole('region', { name: 'Import', exact: true })
  const buffer = readFileSync(path)
  await section
    .getByLabel('Choose file')
    .setInputFiles({ name: 'Again.csv', mimeType: 'text/csv', buffer })
  await section.getByRole('button', { name: 'Import 3 tasks' }).click()
  await expect(section.getByText('3 tasks imported.')).toBeVisible()

  const projects = await list<NamedRecord>('GET /api/v1/projects')
  const again = projects.find(({ name }) => name === 'Again') ?? assert.fail()
  const fieldsOfTasks = async (project_id: string) => {
    const address = `GET /api/v1/projects/${project_id}`
    const [tasks, tags] = [
      await list<NamedRecord>(`${address}/tasks`),
      await list<NamedRecord>(`${address}/tags`),
    ]
    const names = new Map([...tasks, ...tags].map((one) => [one.id, one.title ?? one.name]))
    return tasks.map((task) =>
      COMPARED_FIELDS.map((field) =>
        JSON.stringify(task[field], (_, value) => names.get(value) ?? value),
      ),
    )
  }
  assert.deepEqual(await fieldsOfTasks(again.id), await fieldsOfTasks(team.project))
})

const COMPARED_FIELDS = [
  'title',
  'description',
  'status_category',
  'priority',
  'assignee_ids',
  'tag_ids',
  'start_date',
  'due_date',
  'estimate_seconds',
  'parent_id',
  'blocked_by_ids',
]
