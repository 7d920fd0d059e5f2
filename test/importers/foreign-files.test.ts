import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { tarHeader, tarPadding } from '#archive/format/tar.ts'
import { createZip } from '../support/data/zip-archive.ts'
import { createFreshDockets } from '../support/engines/fresh-docket.ts'
import { createImporter, describeImportError } from '../support/world/importer.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { importFile, refusalOf } from './imported-files.ts'

// On a shared database, importers of other test processes would claim the jobs.
const fresh = createFreshDockets()

const text = (content: string) => Buffer.from(content)
const zip = (...names: string[]) =>
  createZip(Object.fromEntries(names.map((name) => [name, text('x')])))
const json = (value: unknown) => text(JSON.stringify(value))
const tar = (name: string) =>
  Buffer.concat([tarHeader(name, 1), text('x'), tarPadding(1), Buffer.alloc(1_024)])

/** Files that are no exports, and what they are recognized as. */
const FOREIGN: [name: string, bytes: Buffer | Promise<Buffer>, error: string][] = [
  ['Plan.xlsx', zip('[Content_Types].xml', 'xl/workbook.xml'), 'is_excel'],
  ['Plan.xls', Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1', 'latin1'), 'is_old_office'],
  ['Plan.docx', zip('[Content_Types].xml', 'word/document.xml'), 'is_word'],
  ['Plan.pptx', zip('ppt/presentation.xml'), 'is_presentation'],
  ['Plan.numbers', zip('Index/Document.iwa', 'Index/Tables/DataList.iwa'), 'is_iwork'],
  ['Plan.ods', zip('mimetype', 'META-INF/manifest.xml'), 'is_opendocument'],
  ['Plan.pdf', text('%PDF-1.7\n…'), 'is_pdf'],
  ['Photo.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'is_image'],
  ['Photo.jpg', Buffer.from('\xff\xd8\xff\xe0', 'latin1'), 'is_image'],
  ['Photo.heic', Buffer.from('\0\0\0\x18ftypheic', 'latin1'), 'is_image'],
  ['Logo.svg', text('<?xml version="1.0"?>\n<svg xmlns="x"/>'), 'is_image'],
  ['Page.html', text('\n<!DOCTYPE html>\n<html></html>'), 'is_web_page'],
  ['Feed.xml', text('<?xml version="1.0"?><tasks/>'), 'is_xml'],
  ['Dates.ics', text('BEGIN:VCALENDAR\nEND:VCALENDAR'), 'is_calendar'],
  ['Letter.rtf', text('{\\rtf1 Hello}'), 'is_rtf'],
  ['Notes.txt', text('Buy milk\nCall Bob\nMow the lawn'), 'is_plain_text'],
  ['List.txt', text('Buy milk, bread\nCall Bob, today\nMow the lawn'), 'is_plain_text'],
  ['Notes.md', text('# Plan\n\n- [ ] Buy milk, and eggs\n- [ ] Call Bob'), 'is_plain_text'],
  [
    'Report.csv',
    text('"Date: 2026-11-28"\n"Version: 7.1"\nWas,Wohin,Womit\na,b,c\nd,e,f\ng,h,i'),
    'lines_above_table',
  ],
  ['Tasks.csv.gz', gzipSync('Title\nOne'), 'is_compressed gzip'],
  ['Tasks.7z', Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'), 'is_compressed 7-Zip'],
  ['docket.db', text('SQLite format 3\0'), 'is_database'],
  [
    'backup.zip',
    zip('docket-2026/docket.db', 'docket-2026/manifest.json', 'docket-2026/SHA256SUMS'),
    'is_backup',
  ],
  ['backup.tar', tar('docket.db'), 'is_backup'],
  ['source.tar', tar('readme.md'), 'is_tar'],
  ['Program', Buffer.from('\x7fELF\x02\x01\x01\0\0\0\0', 'latin1'), 'is_binary'],
  ['Tasks.csv', Buffer.from('Title,Due\nOne,\n', 'utf16le'), 'is_utf16'],
  ['Blank.csv', text('\n  \n'), 'file_empty'],
  ['Head.csv', text('Title,Status\n'), 'no_rows'],
  ['Asana.json', json({ data: [{ gid: '1', name: 'One' }] }), 'json_asana'],
  ['Jira.json', json({ issues: [{ key: 'A-1', fields: { summary: 'One' } }] }), 'json_jira'],
  [
    'Tasks.json',
    json({ kind: 'tasks#taskLists', items: [{ kind: 'tasks#tasks' }] }),
    'json_google_tasks',
  ],
  ['data.json', json([{ title: 'P', hex_color: '', buckets: [], tasks: [] }]), 'json_vikunja_part'],
  ['cards.json', json([{ id: '1', name: 'One', idBoard: 'b' }]), 'json_trello_cards'],
  ['package.json', json({ name: 'tool', version: '1.0.0' }), 'json_unknown'],
  ['numbers.json', json([1, 2, 3]), 'json_unknown'],
  ['Two.zip', zip('Export/A.csv', 'Export/B.csv'), 'zip_several_tables A.csv, B.csv 0'],
  ['Nested.zip', zip('Export-Part-1.zip'), 'zip_packed Export-Part-1.zip 0'],
  [
    'Photos.zip',
    zip('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', '__MACOSX/a.jpg'),
    'zip_no_table a.jpg, b.jpg, c.jpg 1',
  ],
  ['Nothing.zip', zip('__MACOSX/._x'), 'zip_empty'],
]

const TABLE = text('Name,Status\nPlan trip,To do')
const ISSUES = json([{ number: 1, title: 'One', html_url: 'https://github.com/a/b/issues/1' }])

/** ZIP archives with one file of use, and what that is. */
const ZIPPED: [name: string, files: Record<string, Buffer>, kind: string, title: string][] = [
  ['any.zip', { 'Export/Tasks 1.csv': TABLE }, 'csv', 'Plan trip'],
  [
    'mac.zip',
    { 'Tasks.csv': TABLE, '__MACOSX/._Tasks.csv': text('x'), '.DS_Store': text('x') },
    'csv',
    'Plan trip',
  ],
  [
    'notion.zip',
    { 'Plan 1a2b.csv': text('Name\nSome'), 'Plan 1a2b_all.csv': TABLE, 'Plan/Trip.md': text('#') },
    'csv',
    'Plan trip',
  ],
  ['jira.zip', { 'Jira.csv': text('Summary,Issue key\nOne,A-1\n') }, 'jira', 'One'],
  ['issues.zip', { 'issues.json': ISSUES }, 'github', 'One'],
  [
    'board.zip',
    { 'board.json': json({ name: 'B', cards: [{ id: 'c', name: 'One' }] }) },
    'trello',
    'One',
  ],
]

test('says what a file is that cannot be imported', async () => {
  const docket = await fresh('sqlite')
  for (const [name, bytes, error] of FOREIGN)
    assert.equal(await refusalOf(docket, name, await bytes), error, name)
})

test('opens a ZIP archive with one table or export', async () => {
  const docket = await fresh('sqlite')
  for (const [name, files, kind, title] of ZIPPED) {
    const { ready, projects } = await importFile(docket, name, await createZip(files))
    assert.equal(ready.kind, kind, name)
    assert.deepEqual(
      [...projects.values()].flatMap(({ tasks }) => tasks.map((one) => one.title)),
      [title],
    )
  }
  // A kind that a person chooses holds for the file in the archive.
  const table = await createZip({ 'Tasks.csv': text('Summary,Issue key\nOne,A-1\n') })
  const { ready } = await importFile(docket, 'Tasks.zip', table, 'csv')
  assert.equal(ready.kind, 'csv')
})

test('says what a file is to a person who has chosen another kind', async () => {
  const docket = await fresh('sqlite')
  const importer = await createImporter(docket, await createTestWorkspace(docket.storage))
  const { id } = await importer.upload('Plan.xlsx', await zip('xl/workbook.xml'))
  for (const kind of [null, 'csv', 'github', 'docket']) {
    if (kind !== null) await importer.choose(id, { kind })
    await importer.work()
    assert.equal(describeImportError(await importer.get(id)), 'is_excel', String(kind))
  }
})
