import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CopyRights, findEndedKeys, findEndedTexts, needsText } from './copy-rights.ts'

const RIGHTS: CopyRights = {
  user_id: 'usr_1',
  workspace_id: 'wsp_1',
  workspaceIds: new Set(['wsp_1', 'wsp_2']),
  projectIds: new Set(['prj_open', 'prj_archived']),
}

/** The texts of the kept replies by their names. */
const REPLIES: Record<string, string> = {
  '/internal/boot': '{"projects":[{"id":"prj_open"},{"id":"prj_lost"}]}',
  'tasks prj_open': 'the head of a copy',
  'tasks prj_open 0': 'a part of a copy',
  'tasks prj_lost': 'the head of a copy',
  'tasks prj_lost 0': 'a part of a copy',
  '/api/v1/projects/prj_archived/tags': '{"data":[]}',
  '/api/v1/projects/prj_lost/tags': '{"data":[]}',
  '/api/v1/tasks?assignee_id=usr_1&project_id=prj_lost': '{"data":[]}',
  '/api/v1/tasks/ENG-1': '{"id":"tsk_open","project_id":"prj_open"}',
  '/api/v1/tasks/tsk_open/comments?limit=50': '{"data":[{"body":"kept","task_id":"tsk_open"}]}',
  '/api/v1/tasks/HID-1': '{"id":"tsk_lost","project_id":"prj_lost"}',
  '/api/v1/tasks/tsk_lost/comments?limit=50': '{"data":[{"body":"lost","task_id":"tsk_lost"}]}',
  '/internal/notifications?tab=all':
    '[{"task":{"project_id":"prj_lost"}},{"project_id":"prj_open"}]',
  '/internal/templates': '{"data":[{"name":"of the workspace"}]}',
}

test('deletes the copies of projects that are not listed, and of what belongs to them', () => {
  const keys = Object.keys(REPLIES).map((name) => `usr_1 wsp_1 ${name}`)
  const others = [
    'usr_1 wsp_2 tasks prj_elsewhere',
    'usr_1 wsp_3 /internal/boot',
    'usr_2 wsp_1 tasks prj_open',
  ]
  const endedKeys = findEndedKeys([...keys, ...others], RIGHTS)
  const unclearKeys = [...keys, ...others].filter(
    (key) => !endedKeys.includes(key) && needsText(key, RIGHTS),
  )
  const replies = unclearKeys.map((key) => ({
    key,
    text: REPLIES[key.slice('usr_1 wsp_1 '.length)] ?? '',
  }))
  assert.deepEqual(
    [...endedKeys, ...findEndedTexts(replies, RIGHTS)].toSorted(),
    [
      ...[
        '/api/v1/projects/prj_lost/tags',
        '/api/v1/tasks/HID-1',
        '/api/v1/tasks/tsk_lost/comments?limit=50',
        '/api/v1/tasks?assignee_id=usr_1&project_id=prj_lost',
        '/internal/notifications?tab=all',
        'tasks prj_lost',
        'tasks prj_lost 0',
      ].map((name) => `usr_1 wsp_1 ${name}`),
      'usr_1 wsp_3 /internal/boot',
      'usr_2 wsp_1 tasks prj_open',
    ].toSorted(),
  )
})
