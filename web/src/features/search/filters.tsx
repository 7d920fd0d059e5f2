import { useBoot } from '../../data/boot.ts'
import { m } from '../../messages/search.ts'
import { Icon } from '../../ui/icon.tsx'
import { Person } from '../../ui/person.tsx'
import { type Option, PickButton } from '../../ui/pick.tsx'
import { type Address, placesIn, placesText } from './address.ts'
import { PLACES, type Place } from './found.ts'

interface Props {
  address: Address
  look: (change: Partial<Address>) => void
}

/** What narrows a search: each a chip that goes, or a button that asks for it. */
export function Filters({ address, look }: Props) {
  const { projects, members, session } = useBoot()
  const places = placesIn(address.in)
  const project = projects.find(({ prefix }) => prefix === address.project)
  const person = members.find(({ id }) => id === address.who)
  const ofProjects = projects.map(({ prefix, name }) => ({ id: prefix, label: name, hint: prefix }))
  const ofPeople = members.map(({ id, name }) => ({
    id,
    label: name,
    mark: <Person name={name} me={id === session.user.id} />,
  }))
  const ofPlaces = PLACES.map((id) => ({ id, label: m.places[id] }))
  const first = ([one]: string[]) => one
  return (
    <fieldset className="acts found-by" aria-label={m.filters}>
      <One
        what={m.project}
        value={address.project && (project?.name ?? address.project)}
        options={ofProjects}
        onPick={(ids) => look({ project: first(ids) })}
      />
      <One
        what={m.assignee}
        value={address.who && (person?.name ?? m.former)}
        options={ofPeople}
        onPick={(ids) => look({ who: first(ids) })}
      />
      <One
        what={m.in}
        value={places.length > 0 ? m.placeNames(places) : undefined}
        options={ofPlaces}
        several
        onPick={(ids) => look({ in: placesText(ids as Place[]) })}
      />
    </fieldset>
  )
}

interface OneProps {
  what: string
  value: string | undefined
  options: readonly Option[]
  several?: boolean
  /** Without an id it is taken away. */
  onPick: (ids: string[]) => void
}

function One({ what, value, options, several, onPick }: OneProps) {
  if (value) {
    return (
      <span className="chip">
        <i>{what}</i>
        <span className="clip">{value}</span>
        <button type="button" aria-label={m.remove(what, value)} onClick={() => onPick([])}>
          <Icon name="x" />
        </button>
      </span>
    )
  }
  return (
    <PickButton
      label={what}
      icon="plus"
      pick={{ options, picked: [], onPick, ...(several && { several }) }}
    >
      {what}
    </PickButton>
  )
}
