export function FeedScreen() {
  return <h1>Deals</h1>
}
