import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Member } from '#resources/members/contract.ts'
import type { listPeople, putPerson, removePerson } from '#resources/projects/internal.ts'
import { useBoot } from '../../../data/boot.ts'
import { allPages } from '../../../data/pages.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/projects.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { Person } from '../../../ui/person.tsx'
import { PickButton } from '../../../ui/pick.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Cell, Row, Table } from '../../../ui/table.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { Band } from '../../settings/head.tsx'
import { tell } from '../../settings/tell.ts'
import type { SettingProps } from './general.tsx'

const COLUMNS = m.peopleColumns.map((label, at) => ({ label, hidden: at === 3 }))

/** Who is in the people list of a project: it decides for guests, and for members if it is private. */
export function People({ project, reason }: SettingProps) {
  const { members, session } = useBoot()
  const client = useQueryClient()
  const queryKey = ['people', project.id]
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      allPages((query) =>
        call<typeof listPeople>(
          'GET /internal/projects/:id/people',
          { params: { id: project.id }, query },
          { signal },
        ),
      ),
  })
  const outside = members.filter(({ id }) => !data?.some((one) => one.id === id))
  const act = async (change: () => Promise<unknown>, told: string) => {
    try {
      await change()
      toast({ text: told })
    } catch (thrown) {
      tell(thrown)
    }
    await client.invalidateQueries({ queryKey })
  }
  const add = (ids: readonly string[]) => {
    const chosen = members.filter(({ id }) => ids.includes(id))
    return act(
      async () => {
        for (const { id: user_id } of chosen) {
          const sent = { params: { id: project.id, user_id } }
          await call<typeof putPerson>('PUT /internal/projects/:id/people/:user_id', sent)
        }
      },
      m.addedPerson(namesOf(chosen)),
    )
  }
  const remove = ({ id: user_id, name }: Member) =>
    act(() => {
      const sent = { params: { id: project.id, user_id } }
      return call<typeof removePerson>('DELETE /internal/projects/:id/people/:user_id', sent)
    }, m.removedPerson(name))
  return (
    <section aria-label={m.tabs.people}>
      <Band
        title={m.tabs.people}
        count={data?.length}
        acts={
          <PickButton
            label={m.addPerson}
            reason={reason ?? (outside.length === 0 ? m.everybodyListed : undefined)}
            pick={{
              several: true,
              picked: [],
              options: outside.map(({ id, name, email, role }) => ({
                id,
                label: name,
                hint: m.roles[role],
                words: email ?? '',
              })),
              onPick: (ids) => void add(ids),
            }}
          >
            {m.addPerson}
          </PickButton>
        }
      />
      <div className="line entry">
        <span className="gut" />
        <p>{m.peopleWhy[project.visibility]}</p>
      </div>
      {error && <Trouble error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={3} />}
      {data?.length === 0 && <Empty text={m.noPeople} />}
      {data && data.length > 0 && (
        <Table label={m.tabs.people} className="people-table" columns={COLUMNS}>
          {data.map((member) => (
            <Row key={member.id}>
              <Cell className="gut">
                <Moment at={member.joined_at} style="gutter" />
              </Cell>
              <Cell>
                <Person name={member.name} me={member.id === session.user.id} named />
              </Cell>
              <Cell>{m.roles[member.role]}</Cell>
              <Cell className="end">
                <Button
                  kind="plain danger"
                  aria-label={m.removePerson(member.name)}
                  reason={reason}
                  onClick={() => remove(member)}
                >
                  {m.remove}
                </Button>
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </section>
  )
}

const namesOf = (people: readonly Member[]): string => people.map(({ name }) => name).join(', ')
