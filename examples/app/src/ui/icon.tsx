/** Line icons of 24 units, by name. */
const paths = {
  overview: 'M4 20V10M10 20V4M16 20v-8M22 20H2',
  list: 'M8 6h13M8 12h13M8 18h13M3 6h.01M3 12h.01M3 18h.01',
  wallet: 'M3 7h18v11a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zm0 0 12-4v4M17 13.500h.01',
  bank: 'M3 10 12 4l9 6zM5 10v8M10 10v8M14 10v8M19 10v8M3 20h18',
  phone: 'M7 3h10v18H7zM11 18h2',
  chart: 'M3 3v18h18M7 15l4-5 4 3 5-7',
  import: 'M12 4v12M7 11l5 5 5-5M4 20h16',
  tag: 'M3 12V4h8l10 10-8 8zM7.500 8.500h.01',
  pair: 'M9 7H6a5 5 0 0 0 0 10h3M15 7h3a5 5 0 0 1 0 10h-3M8 12h8',
  settings: 'M4 7h16M4 17h16M9 4v6M15 14v6',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  plus: 'M12 5v14M5 12h14',
  pencil: 'M4 20l1-5L16 4l4 4L9 19zM13.500 6.500l4 4',
  cross: 'M6 6l12 12M18 6 6 18',
  left: 'M15 5l-7 7 7 7',
  right: 'M9 5l7 7-7 7',
  swap: 'M4 8h14l-4-4M20 16H6l4 4',
  unknown: 'M9 9a3 3 0 1 1 4 3c-.700.300-1 .800-1 2M12 17.500h.01',
  basket: 'M4 9h16l-2 11H6zM8 9l4-6 4 6',
  cup: 'M4 8h13v6a5 5 0 0 1-5 5H9a5 5 0 0 1-5-5zM17 9h2a2 2 0 0 1 0 5h-2M8 2v3M12 2v3',
  house: 'M4 11 12 4l8 7v9H4zM10 20v-6h4v6',
  bolt: 'M13 2 5 14h6l-1 8 8-12h-6z',
  signal: 'M12 19h.01M8.500 15.500a5 5 0 0 1 7 0M5 12a10 10 0 0 1 14 0',
  bus: 'M5 4h14v13H5zM5 11h14M8 17v3M16 17v3M8.500 14h.01M15.500 14h.01',
  heart: 'M12 20 4 12a5 5 0 0 1 8-6 5 5 0 0 1 8 6z',
  shield: 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z',
  book: 'M12 6c-2-2-5-2-8-2v14c3 0 6 0 8 2 2-2 5-2 8-2V4c-3 0-6 0-8 2zm0 0v14',
  shirt: 'M8 4 3 8l3 4 1-1v9h10v-9l1 1 3-4-5-4a4 4 0 0 1-8 0z',
  film: 'M4 5h16v14H4zM9 5v14M15 5v14M4 12h16',
  plane: 'M12 2v7l9 5v2l-9-2v5l3 2v1l-3-1-3 1v-1l3-2v-5l-9 2v-2l9-5z',
  gift: 'M4 10h16v10H4zM12 10v10M4 10V7h16v3M12 7c-5 0-5-4-2-4l2 4 2-4c3 0 3 4-2 4',
  coins: 'M9 5a6 6 0 1 1 0 12 6 6 0 0 1 0-12M15 7.500a6 6 0 1 1-3 11',
  piggy: 'M5 12a6 5 0 0 1 6-5h4l3-2v4l2 2v3h-2l-2 3v2h-3v-2h-3v2H8v-3zM15 11h.01',
  briefcase: 'M3 8h18v11H3zM9 8V5h6v3M3 13h18',
  laptop: 'M5 5h14v10H5zM2 19h20',
  trend: 'M3 17l6-6 4 4 8-9M15 6h6v6',
  star: 'M12 3l3 6 6 1-4.500 4.500L17.500 21 12 18l-5.500 3 1-6.500L3 10l6-1z',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)
