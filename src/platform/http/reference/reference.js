// Swagger UI has a dark mode, and only its own bar, which is not shown here, turns it on.
document.documentElement.lang = 'en';
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

const back = document.createElement('nav');
back.className = 'back';
back.innerHTML = '<a href="/docs">Posthorn documentation</a>';
document.body.prepend(back);
