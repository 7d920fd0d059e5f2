import { invalid } from '#core/refusal.ts'
import { ensureAccount, isEmail } from '#identity/account.ts'
import { loadWorkspace } from '#identity/workspace.ts'
import { fromJson } from '#lib/json.ts'
import { handOverSome } from '#resources/leaving/handing.ts'
import { addMember, refuseStaying, removeMember } from '#resources/members/membership.ts'
import { addToPeople } from '#resources/projects/people.ts'
import { fault } from '#wire/fault.ts'
import { Line, List, OneOf, Optional } from '#wire/schema.ts'
import { command } from './command.ts'
import type { Installation } from './installation.ts'
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
  options: {
    workspace: IdOf('workspace'),
    user: IdOf('member'),
    'tasks-to': Optional(
      Line(1, 64, {
        description:
          'Hand open tasks and led projects over first: to a member by id, to leads (of each project), or to nobody',
      }),
    ),
  },
  async run({ binding, within }, { workspace, user, 'tasks-to': to }) {
    if (to !== undefined) await handOver(within, workspace, user, to)
    const removed = await binding(workspace, (tx) => removeMember(tx, user))
    return fromJson(removed.json)
  },
})

/** In as many transactions as it takes: what is stopped in between is begun again. */
async function handOver(
  within: Installation['within'],
  workspace: string,
  user_id: string,
  to: string,
): Promise<void> {
  let after: string | undefined
  for (let done = false; !done; ) {
    const step = await within(workspace, async (tx) => {
      await refuseStaying(tx, user_id)
      return handOverSome(tx, user_id, { to, after })
    })
    after = step.after ?? undefined
    done = step.done
  }
}

export const memberCommands = [add, remove]
