import { invalid } from '#core/refusal.ts'
import { ensureAccount, isEmail } from '#identity/account.ts'
import { loadWorkspace } from '#identity/workspace.ts'
import { fromJson } from '#lib/json.ts'
import { addMember, removeMember } from '#resources/members/membership.ts'
import { addToPeople } from '#resources/projects/people.ts'
import { fault } from '#wire/fault.ts'
import { List, OneOf, Optional } from '#wire/schema.ts'
import { command } from './command.ts'
import { Address, IdOf, Name, Password, passwordOf } from './options.ts'

const add = command({
  name: 'member add',
  summary: 'Make a person a member of a workspace',
  options: {
    workspace: IdOf('workspace'),
    email: Address,
    name: Name,
    role: OneOf(['owner', 'admin', 'member', 'guest']),
    password: Optional(Password),
    project: Optional(List(IdOf('project whose people list the person joins'))),
  },
  async run({ binding }, { workspace, email, name, role, project = [], ...given }) {
    if (!isEmail(email))
      throw invalid(fault('email', 'invalid_format', 'must be an e-mail address'))
    const prepared = await passwordOf(given.password, 'password')
    return binding(workspace, async (tx) => {
      const timezone = (await loadWorkspace(tx))?.timezone ?? 'UTC'
      const account = await ensureAccount(tx, { email, name, timezone }, prepared)
      const { user_id, password } = account
      const member = await addMember(tx, { user_id, name: account.name, role })
      for (const project_id of project) await addToPeople(tx, { project_id, user_id }, 'project')
      return { ...fromJson(member.json), user_id, password }
    })
  },
})

const remove = command({
  name: 'member remove',
  summary: 'End a membership with its keys; what the person made stays',
  options: { workspace: IdOf('workspace'), user: IdOf('member') },
  async run({ binding }, { workspace, user }) {
    const removed = await binding(workspace, (tx) => removeMember(tx, user))
    return fromJson(removed.json)
  },
})

export const memberCommands = [add, remove]
