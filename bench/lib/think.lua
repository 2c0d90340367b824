-- Each connection waits between a reply and its next request, as readers do: wrk … -s think.lua <url> -- <mean in ms>. Uniform from 0 to twice that.
local most = 0

function init(args)
  most = 2 * tonumber(args[1])
end

function delay()
  return math.random(0, most)
end
