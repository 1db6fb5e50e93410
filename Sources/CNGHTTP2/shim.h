#pragma once
#include <nghttp2/nghttp2.h>
/* For the loops of connections. Swift's Glibc module has neither. */
#include <sys/epoll.h>
#include <sys/eventfd.h>
