import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ROLE_RIGHTS, ROLES } from '#wire/rights.ts'
import {
  canChangeWorkOf,
  canDeleteTask,
  canEditComment,
  canEditProjectSettings,
  canEditView,
  canGiveRole,
  canSeeProject,
  hasRight,
  setRoleRights,
} from './rights.ts'

setRoleRights(ROLE_RIGHTS)

const ME = 'usr_me'
const OTHER = 'usr_other'

/** The roles with which a person may do something. */
const rolesThat = (can: (me: Parameters<typeof canSeeProject>[0]) => boolean) =>
  ROLES.filter((role) => can({ id: ME, role })).join(' ')

test('gives a role the rights of the table, and none without one', () => {
  assert.equal(
    rolesThat((me) => hasRight(me, 'own_workspace')),
    'owner',
  )
  assert.equal(
    rolesThat((me) => hasRight(me, 'shape_projects')),
    'owner admin member',
  )
  setRoleRights([])
  assert.equal(
    rolesThat((me) => hasRight(me, 'shape_projects')),
    '',
  )
  setRoleRights(ROLE_RIGHTS)
})

test('lets only owners give, change or remove the role of an owner', () => {
  assert.equal(
    rolesThat((me) => canGiveRole(me, 'owner')),
    'owner',
  )
  assert.equal(
    rolesThat((me) => canGiveRole(me, 'admin')),
    'owner admin',
  )
  assert.equal(
    rolesThat((me) => canGiveRole(me, 'guest')),
    'owner admin',
  )
})

test('shows a project by role, to its lead unless a guest, and to its people', () => {
  const open = { visibility: 'workspace', lead_id: null } as const
  const hidden = { visibility: 'private', lead_id: null } as const
  assert.equal(
    rolesThat((me) => canSeeProject(me, open, [])),
    'owner admin member',
  )
  assert.equal(
    rolesThat((me) => canSeeProject(me, hidden, [])),
    'owner admin',
  )
  const led = { visibility: 'private', lead_id: ME } as const
  assert.equal(
    rolesThat((me) => canSeeProject(me, led, [])),
    'owner admin member',
  )
  assert.equal(
    rolesThat((me) => canSeeProject(me, hidden, [{ id: ME }])),
    ROLES.join(' '),
  )
  assert.equal(
    rolesThat((me) => canSeeProject(me, hidden, [{ id: OTHER }])),
    'owner admin',
  )
})

test('lets the lead of a project change its settings and shared views', () => {
  const led = { lead_id: ME }
  const foreign = { lead_id: OTHER }
  assert.equal(
    rolesThat((me) => canEditProjectSettings(me, led)),
    ROLES.join(' '),
  )
  assert.equal(
    rolesThat((me) => canEditProjectSettings(me, foreign)),
    'owner admin',
  )
  const own = { created_by_id: ME }
  const theirs = { created_by_id: OTHER }
  assert.equal(
    rolesThat((me) => canEditView(me, own, foreign)),
    ROLES.join(' '),
  )
  assert.equal(
    rolesThat((me) => canEditView(me, theirs, led)),
    ROLES.join(' '),
  )
  assert.equal(
    rolesThat((me) => canEditView(me, theirs, foreign)),
    'owner admin',
  )
})

test('lets guests delete only their own tasks, and others only with a role that shapes projects', () => {
  assert.equal(
    rolesThat((me) => canDeleteTask(me, ME)),
    ROLES.join(' '),
  )
  assert.equal(
    rolesThat((me) => canDeleteTask(me, OTHER)),
    'owner admin member',
  )
})

test('lets only the author edit a comment, and owners and admins remove what others did', () => {
  assert.equal(
    rolesThat((me) => canEditComment(me, ME)),
    ROLES.join(' '),
  )
  assert.equal(
    rolesThat((me) => canEditComment(me, OTHER)),
    '',
  )
  assert.equal(
    rolesThat((me) => canChangeWorkOf(me, ME)),
    ROLES.join(' '),
  )
  assert.equal(
    rolesThat((me) => canChangeWorkOf(me, OTHER)),
    'owner admin',
  )
})
