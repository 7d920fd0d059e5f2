import type { Member } from '#resources/members/contract.ts'
import type { removePerson } from '#resources/projects/internal.ts'
import { showToast } from '../../../data/app/toasts.ts'
import {
  addPersonToProject,
  invalidatePeople,
  usePeople,
} from '../../../data/resources/project-people.ts'
import { useBoot } from '../../../data/session/boot.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { roleMessages } from '../../../messages/app/roles.ts'
import { projectMessages } from '../../../messages/projects/projects.ts'
import { ErrorMessage, showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { DataTable, TableCell, TableRow } from '../../../ui/layout/data-table.tsx'
import { EmptyState } from '../../../ui/layout/empty-state.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { Avatar } from '../../../ui/marks/avatar.tsx'
import { FormattedInstant } from '../../../ui/marks/formatted-instant.tsx'
import { PickerButton } from '../../../ui/overlays/picker-button.tsx'
import { SectionHeader } from '../../settings/index.ts'
import type { ProjectSettingsProps } from './general-settings.tsx'

const COLUMNS = projectMessages.peopleColumns.map((label, at) => ({ label, hidden: at === 3 }))

/**
 * The people of a project. The list decides which guests can see it, and for a private project also
 * which members.
 */
export function PeopleSettings({ project, reason }: ProjectSettingsProps) {
  const { members, session } = useBoot('members', 'session')
  const { data, error, refetch } = usePeople(project.id)
  const candidates = members.filter(({ id }) => !data?.some((one) => one.id === id))
  const runAndReload = async (change: () => Promise<unknown>, successText: string) => {
    try {
      await change()
      showToast({ text: successText })
    } catch (thrown) {
      showErrorToast(thrown)
    }
    await invalidatePeople(project.id)
  }
  const add = (ids: readonly string[]) => {
    const chosen = members.filter(({ id }) => ids.includes(id))
    return runAndReload(
      async () => {
        for (const { id } of chosen) await addPersonToProject(project.id, id)
      },
      projectMessages.addedPerson(namesOf(chosen)),
    )
  }
  const remove = ({ id: user_id, name }: Member) =>
    runAndReload(() => {
      const sent = { params: { id: project.id, user_id } }
      return requestEndpoint<typeof removePerson>(
        'DELETE /internal/projects/:id/people/:user_id',
        sent,
      )
    }, projectMessages.removedPerson(name))
  return (
    <section aria-label={projectMessages.tabs.people}>
      <SectionHeader
        title={projectMessages.tabs.people}
        count={data?.length}
        actions={
          <PickerButton
            label={projectMessages.addPerson}
            reason={
              reason ?? (candidates.length === 0 ? projectMessages.everybodyListed : undefined)
            }
            pick={{
              several: true,
              picked: [],
              options: candidates.map(({ id, name, email, role }) => ({
                id,
                label: name,
                hint: roleMessages[role].name,
                words: email ?? '',
              })),
              onPick: (ids) => void add(ids),
            }}
          >
            {projectMessages.addPerson}
          </PickerButton>
        }
      />
      <div className="line entry">
        <span className="gut" />
        <p>{projectMessages.peopleWhy[project.visibility]}</p>
      </div>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={3} />}
      {data?.length === 0 && <EmptyState text={projectMessages.noPeople} />}
      {data && data.length > 0 && (
        <DataTable label={projectMessages.tabs.people} className="people-table" columns={COLUMNS}>
          {data.map((member) => (
            <TableRow key={member.id}>
              <TableCell className="gut">
                <FormattedInstant at={member.joined_at} style="gutter" />
              </TableCell>
              <TableCell>
                <Avatar name={member.name} me={member.id === session.user.id} named />
              </TableCell>
              <TableCell>{roleMessages[member.role].name}</TableCell>
              <TableCell className="end">
                <Button
                  kind="plain danger"
                  aria-label={projectMessages.removePerson(member.name)}
                  reason={reason}
                  onClick={() => remove(member)}
                >
                  {projectMessages.remove}
                </Button>
              </TableCell>
            </TableRow>
          ))}
        </DataTable>
      )}
    </section>
  )
}

const namesOf = (people: readonly Member[]): string => people.map(({ name }) => name).join(', ')
