import { useBoot } from '../../data/session/boot.ts'
import { searchMessages } from '../../messages/app/search.ts'
import { Avatar } from '../../ui/marks/avatar.tsx'
import { Icon } from '../../ui/marks/icon.tsx'
import { PickerButton, type PickerOption } from '../../ui/overlays/picker-button.tsx'
import {
  formatSearchPlaces,
  parseSearchPlaces,
  type TaskSearchParams,
} from './task-search-params.ts'
import { SEARCH_PLACES, type SearchPlace } from './use-task-search.ts'

interface SearchFiltersProps {
  address: TaskSearchParams
  updateSearch: (change: Partial<TaskSearchParams>) => void
}

/** The filters of a search. Each is a removable chip, or a button that opens its picker. */
export function SearchFilters({ address, updateSearch }: SearchFiltersProps) {
  const { projects, members, session } = useBoot('projects', 'members', 'session')
  const places = parseSearchPlaces(address.in)
  const project = projects.find(({ prefix }) => prefix === address.project)
  const person = members.find(({ id }) => id === address.who)
  const projectOptions = projects.map(({ prefix, name }) => ({
    id: prefix,
    label: name,
    hint: prefix,
  }))
  const peopleOptions = members.map(({ id, name }) => ({
    id,
    label: name,
    mark: <Avatar name={name} me={id === session.user.id} />,
  }))
  const placeOptions = SEARCH_PLACES.map((id) => ({ id, label: searchMessages.places[id] }))
  const getFirst = ([first]: string[]) => first
  return (
    <fieldset className="acts found-by" aria-label={searchMessages.filters}>
      <SearchFilterPicker
        label={searchMessages.project}
        value={address.project && (project?.name ?? address.project)}
        options={projectOptions}
        onPick={(ids) => updateSearch({ project: getFirst(ids) })}
      />
      <SearchFilterPicker
        label={searchMessages.assignee}
        value={address.who && (person?.name ?? searchMessages.former)}
        options={peopleOptions}
        onPick={(ids) => updateSearch({ who: getFirst(ids) })}
      />
      <SearchFilterPicker
        label={searchMessages.in}
        value={places.length > 0 ? searchMessages.placeNames(places) : undefined}
        options={placeOptions}
        several
        onPick={(ids) => updateSearch({ in: formatSearchPlaces(ids as SearchPlace[]) })}
      />
    </fieldset>
  )
}

interface SearchFilterPickerProps {
  label: string
  value: string | undefined
  options: readonly PickerOption[]
  several?: boolean
  /** Called without ids to remove the filter. */
  onPick: (ids: string[]) => void
}

function SearchFilterPicker({ label, value, options, several, onPick }: SearchFilterPickerProps) {
  if (value) {
    return (
      <span className="chip">
        <i>{label}</i>
        <span className="clip">{value}</span>
        <button
          type="button"
          aria-label={searchMessages.remove(label, value)}
          onClick={() => onPick([])}
        >
          <Icon name="x" />
        </button>
      </span>
    )
  }
  return (
    <PickerButton
      label={label}
      icon="plus"
      pick={{ options, picked: [], onPick, ...(several && { several }) }}
    >
      {label}
    </PickerButton>
  )
}
