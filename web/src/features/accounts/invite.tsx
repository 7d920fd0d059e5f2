export function Invite() {
  return <main className="paper" id="work" />
}
