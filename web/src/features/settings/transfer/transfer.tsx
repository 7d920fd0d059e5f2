import { Import } from './import.tsx'

/** What comes into the workspace from elsewhere: loaded when the section is looked at. */
export default function Transfer() {
  return <Import />
}
