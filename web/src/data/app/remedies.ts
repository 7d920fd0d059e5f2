import type { updateWebhook } from '#resources/webhooks/contract.ts'
import type {
  ApiResponseError,
  ProblemDetail,
  RefusedRequest,
  Remedy,
} from '../../lib/http/problem.ts'
import { requestEndpoint } from '../../lib/http/request-endpoint.ts'
import { remedyMessages } from '../../messages/app/remedies.ts'
import { formatList } from '../../messages/plural.ts'
import { queryClient } from '../cache/query-client.ts'
import { addPersonToProject, invalidatePeople } from '../resources/project-people.ts'
import { type Boot, bootState, getMemberName } from '../session/boot.ts'
import { setArchived } from '../session/boot-records.ts'
import { canEditProjectSettings, hasRight } from '../session/rights.ts'
import { getServerTask } from '../tasks/task-store.ts'
import { showToast } from './toasts.ts'

/** What the remedy of a refusal may depend on. */
interface RefusalContext {
  boot: Boot
  /** The errors of this code. */
  details: readonly ProblemDetail[]
  request: RefusedRequest | undefined
}

/** A section of the settings, to which a button leads those whom it helps. */
interface SettingsRemedy {
  label: string
  section: string
  helps?: (boot: Boot) => boolean
}

type FindRemedy = (context: RefusalContext) => Remedy | undefined

/**
 * What can be done about a refusal, by the code of the error as its words are
 * (messages/app/refusals.ts). An error without an entry has no button.
 */
const REMEDIES: Readonly<Record<string, FindRemedy | SettingsRemedy>> = {
  'assignee_ids.not_a_member': addToProject,
  'add_assignee_ids.not_a_member': addToProject,
  project_archived: unarchiveProject,
  webhook_disabled: turnOnWebhook,
  storage_full: {
    label: remedyMessages.openUsage,
    section: 'usage',
    helps: (boot) => hasRight(boot.session.user, 'manage_workspace'),
  },
  insufficient_role: {
    label: remedyMessages.openMembers,
    section: 'members',
    helps: (boot) => !hasRight(boot.session.user, 'manage_workspace'),
  },
  second_factor_missing: { label: remedyMessages.openProfile, section: 'profile' },
  import_under_way: { label: remedyMessages.openImport, section: 'import' },
  export_under_way: { label: remedyMessages.openImport, section: 'import' },
}

/** The remedy of an error, which `openSettings` leads to if it is a section of the settings. */
export function findRemedyOf(
  error: ApiResponseError,
  openSettings: (workspace_id: string, section: string) => Promise<void>,
): Remedy | undefined {
  const boot = bootState.get()
  if (!boot) return undefined
  const [first = { field: '', code: error.code }] = error.details
  const [name] = first.field.split(/[[.]/)
  const found = REMEDIES[`${name}.${first.code}`] ?? REMEDIES[first.code]
  if (!found) return undefined
  if (typeof found === 'function') {
    const details = error.details.filter(({ code }) => code === first.code)
    return found({ boot, details, request: error.request })
  }
  const { label, section, helps } = found
  if (helps && !helps(boot)) return undefined
  const run = () => openSettings(boot.session.workspace.id, section)
  return { label, run, isSolution: false }
}

/** Makes those who were to be assigned see the project. */
function addToProject({ boot, details, request }: RefusalContext): Remedy | undefined {
  const task = getServerTask(request?.params?.id ?? '')
  const values = { ...task, ...(request?.body as object | undefined) }
  const project = findProject(boot, 'project_id' in values ? values.project_id : undefined)
  const ids = details.flatMap(({ field }) => {
    const [, name = '', index] = /^(\w+)\[(\d+)\]$/.exec(field) ?? []
    const list: unknown = Object.entries(values).find(([key]) => key === name)?.[1]
    const id: unknown = Array.isArray(list) ? list[Number(index)] : undefined
    // A person who has left the workspace cannot see any of its projects.
    return boot.members.filter((one) => one.id === id).map((one) => one.id)
  })
  if (
    !project ||
    ids.length < details.length ||
    !canEditProjectSettings(boot.session.user, project)
  )
    return
  const people = formatList(ids.map((id) => getMemberName(boot, id)))
  return {
    label: remedyMessages.addPeople(people, project.name),
    isSolution: true,
    async run() {
      for (const id of ids) await addPersonToProject(project.id, id)
      showToast({ text: remedyMessages.addedPeople(people, project.name) })
      await invalidatePeople(project.id)
    },
  }
}

function unarchiveProject({ boot, details: [detail] }: RefusalContext): Remedy | undefined {
  const project = findProject(boot, detail?.resource_id)
  if (!project || !canEditProjectSettings(boot.session.user, project)) return
  return {
    label: remedyMessages.unarchive(project.name),
    isSolution: true,
    async run() {
      await setArchived(project.id, false)
      showToast({ text: remedyMessages.unarchived(project.name) })
    },
  }
}

function turnOnWebhook({ details: [detail] }: RefusalContext): Remedy | undefined {
  const id = detail?.resource_id
  if (id === undefined) return
  return {
    label: remedyMessages.turnOnWebhook,
    isSolution: true,
    async run() {
      const address = 'PATCH /api/v1/webhooks/:id'
      const sent = { params: { id }, body: { is_active: true } }
      await requestEndpoint<typeof updateWebhook>(address, sent)
      showToast({ text: remedyMessages.turnedOnWebhook })
      await queryClient.invalidateQueries({ queryKey: ['webhooks'] })
    },
  }
}

const findProject = ({ projects }: Boot, id: unknown) => projects.find((one) => one.id === id)
