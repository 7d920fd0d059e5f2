import { useBoot } from '../../data/boot.ts'
import { useTags } from '../../data/tags.ts'
import { m } from '../../messages/reports.ts'
import { MenuButton } from '../../ui/menu.tsx'
import { Person } from '../../ui/person.tsx'
import { PickButton } from '../../ui/pick.tsx'
import { type Days, idsIn, lengthOf, type ReportAddress, WEEKS } from './address.ts'
import { openRange } from './range.tsx'

interface Props {
  address: ReportAddress
  days: Days
  /** The one project that is looked at, whose tags can be asked for. */
  project: { id: string } | undefined
  /** The screen is that of a project. */
  ofProject: boolean
  look: (change: ReportAddress) => void
}

/** Which days, projects, people and tags the reports are of. */
export function Filters({ address, days, project, ofProject, look }: Props) {
  const { projects, members, session } = useBoot()
  const tags = useTags(project?.id)
  const [who, chosen, tagged] = [address.who, address.project, address.tag].map(idsIn)
  const range = days.weeks === undefined ? m.days(lengthOf(days)) : m.weeks(days.weeks)
  const joined = (ids: string[]) => (ids.length > 0 ? ids.join(',') : undefined)
  const people = members.map(({ id, name }) => ({
    ...{ id, label: name },
    mark: <Person name={name} me={id === session.user.id} />,
  }))
  return (
    <div className="acts end">
      <MenuButton
        kind="plain"
        label={`${m.range} ${range}`}
        items={[
          ...WEEKS.map((weeks) => ({
            ...{ id: String(weeks), label: m.weeks(weeks), checked: weeks === days.weeks },
            run: () => look({ weeks, after: undefined, before: undefined }),
          })),
          {
            ...{ id: 'days', label: m.otherDays, checked: days.weeks === undefined },
            run: () => openRange(days, look),
          },
        ]}
      >
        <span className="quiet">{m.range}</span> {range}
      </MenuButton>
      {!ofProject && (
        <One
          what={m.project}
          none={m.all}
          options={projects.map(({ prefix, name }) => ({ id: prefix, label: name, hint: prefix }))}
          picked={chosen ?? []}
          onPick={(ids) => look({ project: joined(ids), tag: undefined })}
        />
      )}
      <One
        what={m.people}
        none={m.everyone}
        options={people}
        picked={who ?? []}
        onPick={(ids) => look({ who: joined(ids) })}
      />
      {project && (
        <One
          what={m.tag}
          none={m.any}
          options={tags.map(({ id, name }) => ({ id, label: name }))}
          picked={tagged ?? []}
          onPick={(ids) => look({ tag: joined(ids) })}
        />
      )}
    </div>
  )
}

interface OneProps {
  what: string
  /** What it says where nothing is picked. */
  none: string
  options: Parameters<typeof PickButton>[0]['pick']['options']
  picked: string[]
  onPick: (ids: string[]) => void
}

function One({ what, none, options, picked, onPick }: OneProps) {
  const known = options.find(({ id }) => id === picked[0])
  const value =
    picked.length === 0
      ? none
      : picked.length === 1 && known
        ? known.label
        : m.several(picked.length)
  return (
    <PickButton
      kind="plain"
      label={`${what} ${value}`}
      pick={{ options, picked, onPick, several: true }}
    >
      {picked.length > 0 && <span className="quiet">{what}</span>} {value}
    </PickButton>
  )
}
